/**
 * The number that a reader has written, or undefined if it is none. A point and a comma both mark decimals, in every
 * language; nothing separates thousands. There are no exponents, and at most 15 digits on either side of the mark.
 */
export function numberIn(written: string): number | undefined {
  // Korean and other keyboards also write full-width digits.
  const text = written.normalize('NFKC').trim().replace('−', '-').replace(',', '.');
  return /^[-+]?(?=\.?\d)\d{0,15}(\.\d{0,15})?$/.test(text) ? Number(text) : undefined;
}
