/** Draws sizes, numbers and the forms of arguments from one seed. */
import { sizeOf } from '../reference/tensor.js';
import { Random } from '../support/random.js';
import { SPELLINGS } from '../support/spellings.js';

export interface Drawn {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Zeros and subnormals: numbers at the lower edge of float32, too small to affect a sum's tolerance. */
const TINY = [0, -0, 1e-45, -1e-45, 1.1754944e-38, -1e-40] as const;

export class Draw extends Random {
  /** The longest axis that `axis` draws. */
  readonly most: number;

  constructor(seed: number, most: number) {
    super(seed);
    this.most = most;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.integer(0, from.length - 1)]!;
  }

  /** The length of an axis, 1 … most. */
  axis(): number {
    return this.integer(1, this.most);
  }

  /** The length of an axis, sometimes 0. */
  axisOrNone(): number {
    return this.chance(0.04) ? 0 : this.axis();
  }

  /** `value()`, or undefined. */
  maybe<T>(value: () => T, probability = 0.5): T | undefined {
    return this.chance(probability) ? value() : undefined;
  }

  /** Standard normal numbers times `scale`, now and then with zeros of either sign and subnormals among them. */
  numbers(shape: readonly number[], scale = 1): Drawn {
    const drawn = this.tensor(shape, scale);
    if (drawn.data.length > 0 && this.chance(0.2)) {
      for (let i = 0; i < 3; ++i) drawn.data[this.integer(0, drawn.data.length - 1)] = this.pick(TINY);
    }
    return drawn;
  }

  integers(shape: readonly number[], low: number, high: number): { data: Int32Array; shape: readonly number[] } {
    return { data: Int32Array.from({ length: sizeOf(shape) }, () => this.integer(low, high)), shape };
  }

  /**
   * The tensor in one of the forms that the library accepts: a view into a larger buffer, another array type, nested
   * arrays.
   */
  form(tensor: Drawn): unknown {
    const { data, shape } = tensor;
    if (this.chance(0.4)) return tensor;
    if (this.chance(0.4)) {
      const before = this.integer(1, 5);
      const within = new Float32Array(data.length + before + 3).fill(NaN);
      within.set(data, before);
      return { data: within.subarray(before, before + data.length), shape };
    }
    if (this.chance(0.2)) {
      const shared = new Float32Array(new SharedArrayBuffer(4 * data.length));
      shared.set(data);
      return { data: shared, shape };
    }
    // Nested arrays cannot express an empty axis, because an empty array does not show the axes inside it.
    const spellings = shape.includes(0) || shape.length === 0 ? SPELLINGS.slice(0, -1) : SPELLINGS;
    return this.pick(spellings)(tensor);
  }

  /** Usually drops the options that are undefined. Leaving them in must mean the default, too. */
  options(all: Record<string, unknown>): Record<string, unknown> {
    if (this.chance(0.2)) return all;
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
}

/** The options without those that are undefined, for an oracle's defaults. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
export function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
