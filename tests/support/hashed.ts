/**
 * The inputs of the long fixtures: an integer hash of the index, exact in float32. The fixtures' attributes have the
 * formula.
 */
export function hashed(count: number, { seed, multiply }: { seed: number; multiply: number }): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => {
    let x = (Math.imul(i + 1, 2654435761) + Math.imul(seed, 40503)) >>> 0;
    x ^= x >>> 15;
    x = Math.imul(x, 2246822519) >>> 0;
    x ^= x >>> 13;
    x = Math.imul(x >>> 0, 3266489917) >>> 0;
    x = (x ^ (x >>> 16)) >>> 0;
    return ((x >>> 8) / 8388608 - 1) * multiply;
  });
}
