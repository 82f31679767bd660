/** Repeatable random numbers: a hash of (seed, stream, index), the same as cpp/kernels/dropout.h. */

function mix32(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** `count` numbers uniform in [-bound, bound). */
export function uniform(seed: number, stream: number, count: number, bound: number): Float32Array {
  const key = mix32(mix32((seed + 0x9e3779b9) >>> 0) ^ stream);
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    numbers[i] = (mix32((key + Math.imul(i, 0x9e3779b9)) >>> 0) / 2 ** 31 - 1) * bound;
  }
  return numbers;
}

/** A seed where the caller gave none. */
export function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
