/** Seeded random tensors, the same in every run. */
import { sizeOf } from '../reference/tensor.js';

export interface RandomTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from low to high. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A standard normal number (Box–Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** A tensor of standard normal values times `scale`. */
  tensor(shape: readonly number[], scale = 1): RandomTensor {
    const data = new Float32Array(sizeOf(shape));
    for (let i = 0; i < data.length; ++i) data[i] = this.normal() * scale;
    return { data, shape };
  }

  /** A mask whose elements are true with this probability. */
  mask(shape: readonly number[], probability = 0.6): { data: boolean[]; shape: readonly number[] } {
    return { data: Array.from({ length: sizeOf(shape) }, () => this.next() < probability), shape };
  }
}
