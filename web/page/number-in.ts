/**
 * The number that a reader has typed, or undefined if it is none. Point and comma are both decimal marks, in every
 * language, and there are no thousands separators. No exponents, and at most 15 digits on either side of the mark.
 */
export function numberIn(written: string): number | undefined {
  // Korean and other keyboards also type full-width digits.
  const text = written.normalize('NFKC').trim().replace('−', '-').replace(',', '.');
  return /^[-+]?(?=\.?\d)\d{0,15}(\.\d{0,15})?$/.test(text) ? Number(text) : undefined;
}
