/** Checks a word for each row or column. */
export function checkWords(
  what: string,
  words: readonly string[] | undefined,
  count: number,
): readonly string[] | undefined {
  if (words === undefined) return undefined;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new TypeError(`loadArrays: expected ${what} to be a list of strings`);
  if (words.length !== count) throw new RangeError(`loadArrays: expected ${count} ${what}, got ${words.length}`);
  return words;
}
