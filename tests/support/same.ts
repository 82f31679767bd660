/**
 * Whether two values are equal to the bit, including NaN and the sign of zero. For arrays much faster than Jest's
 * toEqual.
 */
export function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b);
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    const [one, other] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return Buffer.compare(one!, other!) === 0;
  }
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return keys.join() === others.join() && keys.every((key) => same(a[key as never], b[key as never]));
}
