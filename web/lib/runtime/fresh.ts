/** Arrays of JavaScript's own, and the error for those that find no room. */
import { wrongValue } from '../check/values.js';

export const ADDRESS_SPACE = 2 ** 32;

/**
 * A fresh array of zeros. One that the linear memory could not hold is refused: systems promise more memory than they
 * have, and end a process that uses it.
 */
export function fresh<T>(
  operation: string,
  Kind: { new (count: number): T; readonly BYTES_PER_ELEMENT: number },
  count: number,
): T {
  const bytes = bytesOf(operation, count, Kind.BYTES_PER_ELEMENT);
  if (bytes >= ADDRESS_SPACE) outOfMemory(operation, bytes);
  return orOutOfMemory(operation, bytes, () => new Kind(count));
}

/** An array of JavaScript's own, of so many bytes; where there is no room for it, our error. */
export function orOutOfMemory<T>(operation: string, bytes: number, make: () => T): T {
  try {
    return make();
  } catch {
    return outOfMemory(operation, bytes);
  }
}

export function outOfMemory(operation: string, bytes: number): never {
  // As a BigInt it is never 1e+21.
  return wrongValue(operation, `${BigInt(bytes)} free bytes`, 'out of memory');
}

/**
 * Bytes of `count` elements. Sizes are float64s: products of any extents stay large, where those of integers would wrap
 * around.
 */
export function bytesOf(operation: string, count: number, size: number): number {
  if (count >= 0 && Number.isInteger(count)) return count * size;
  return wrongValue(operation, 'a whole number of elements', count);
}
