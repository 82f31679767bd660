import type { Checkpoint } from './checkpoint.js';

/** What a model reads first, with a tokenizer and without one; the other text is for patching. */
const STORY = {
  text: 'Once upon a time, there was a little girl named',
  other: 'Once upon a time, there was a little boy named',
};
const NUMBERS = { text: '1 2 3 4 5 6 7 8', other: '1 2 3 4 5 6 7 9' };
const EXAMPLES = [STORY, NUMBERS];

/** The text for a model: the reader's own, if the model can read any of it, or an example; none beside pictures. */
export function textFor({ kind, tokenizer }: Checkpoint, text: string): string {
  const isOwn = EXAMPLES.every((example) => example.text !== text);
  if (isOwn && (kind === 'pictures' || (tokenizer ? /\S/ : /\d/).test(text))) return text;
  if (kind === 'pictures') return '';
  return tokenizer ? STORY.text : NUMBERS.text;
}

/** A text from which an example can be patched; empty for the reader's own. */
export function otherFor(text: string): string {
  return EXAMPLES.find((example) => example.text === text)?.other ?? '';
}
