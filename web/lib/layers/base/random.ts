/** Reproducible random numbers: a hash of (seed, stream, index), the same as in cpp/kernels/dropout.h. */
import { checkSeed } from '../../check/values.js';

function mix32(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Random whole numbers, uniform in [0, 2^32), one for each index. */
function generator(seed: number, stream: number): (index: number) => number {
  const key = mix32(mix32((seed + 0x9e3779b9) >>> 0) ^ stream);
  return (index) => mix32((key + Math.imul(index, 0x9e3779b9)) >>> 0);
}

/** `count` numbers uniform in [-bound, bound). */
export function uniform(seed: number, stream: number, count: number, bound: number): Float32Array {
  const bits = generator(seed, stream);
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; ++i) numbers[i] = (bits(i) / 2 ** 31 - 1) * bound;
  return numbers;
}

/** `count` standard normal numbers (Box and Muller 1958). */
export function normal(seed: number, stream: number, count: number): Float32Array {
  const bits = generator(seed, stream);
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    // Above 0 and at most 1, so that the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log((bits(2 * i) + 1) / 2 ** 32));
    numbers[i] = radius * Math.cos((2 * Math.PI * bits(2 * i + 1)) / 2 ** 32);
  }
  return numbers;
}

/** A layer's seed; a random one if none is given. */
export function seedOf(operation: string, seed = Math.floor(Math.random() * 2 ** 32)): number {
  return checkSeed(operation, 'seed', seed);
}
