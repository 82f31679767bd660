/** What a case is made of: sizes, numbers and the forms of arguments, drawn from one seed. */
import { sizeOf } from '../reference/tensor.js';
import { Random } from '../support/random.js';
import { SPELLINGS } from '../support/spellings.js';

export interface Drawn {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Numbers at the edges of float32 that are still finite and do not change a sum's tolerance. */
const TINY = [0, -0, 1e-45, -1e-45, 1.1754944e-38, -1e-40] as const;

export class Draw extends Random {
  /** The longest axis, as a rule. */
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

  /** 1 … most. */
  axis(): number {
    return this.integer(1, this.most);
  }

  /** An axis that may be empty. */
  axisOrNone(): number {
    return this.chance(0.04) ? 0 : this.axis();
  }

  /** `value`, or nothing. */
  maybe<T>(value: () => T, probability = 0.5): T | undefined {
    return this.chance(probability) ? value() : undefined;
  }

  /** Normal numbers, one in a while a zero of either sign or a subnormal. */
  numbers(shape: readonly number[], scale = 1): Drawn {
    const drawn = this.tensor(shape, scale);
    if (drawn.data.length > 0 && this.chance(0.2)) {
      for (let i = 0; i < 3; ++i) drawn.data[this.integer(0, drawn.data.length - 1)] = this.pick(TINY);
    }
    return drawn;
  }

  integers(
    shape: readonly number[],
    low: number,
    high: number,
  ): { data: Int32Array; shape: readonly number[] } {
    return { data: Int32Array.from({ length: sizeOf(shape) }, () => this.integer(low, high)), shape };
  }

  /** The tensor in one of the forms that the library takes: views into larger buffers, other arrays, nested ones. */
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
    // An empty axis cannot be nested: what is inside it has no shape.
    const spellings = shape.includes(0) || shape.length === 0 ? SPELLINGS.slice(0, -1) : SPELLINGS;
    return this.pick(spellings)(tensor);
  }

  /** Drops the options that were not drawn, most of the time: `undefined` means the default as well. */
  options(all: Record<string, unknown>): Record<string, unknown> {
    if (this.chance(0.2)) return all;
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
}

/** The options without those that are undefined: an oracle's defaults. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
export function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
