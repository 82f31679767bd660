/** Beginnings to choose from. */
export const SAMPLES = [
  'Once upon a time',
  'One day, a little cat',
  'The big dog was very sad because',
  'Tim had a red ball.',
  'In the forest there was a bear',
] as const;

/** What the model writes after the first of them, until it is loaded. */
export const STILL =
  'Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. She wanted to play with it, but it was too high.';
