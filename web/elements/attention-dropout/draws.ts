import type { WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';
import { shortest } from '../shared/numbers.js';

/** The number of tokens, which are queries and keys, and their width. */
export const TOKENS = 6;
export const WIDTH = 4;
/** The most draws of a run. */
export const MOST = 1000;

/** A sequence for self-attention: normal numbers, halved so that no weight is close to one. */
const X = {
  data: normalDraws(TOKENS * WIDTH, 7).map((value) => Math.fround(value / 2)),
  shape: [TOKENS, WIDTH],
};

/** Weights, (TOKENS, TOKENS), and output, (TOKENS, WIDTH). */
export interface Draw {
  readonly weights: Float32Array;
  readonly output: Float32Array;
}

/** A forward pass. Without a rate it is evaluation: nothing is dropped. */
export function draw(library: WasmAttention, rate = 0, seed = 1): Draw {
  const { output, weights } = library.scaledDotProductAttention(X, X, X, {
    dropout: rate,
    seed,
    needWeights: true,
  });
  return { weights: weights?.data ?? new Float32Array(), output: output.data };
}

/** The mean of the draws with seeds `seed`, `seed + 1`, …, and its distance from evaluation after each of them. */
export class Run {
  /** Sums over the draws so far, in float64. */
  readonly #weights = new Float64Array(TOKENS * TOKENS);
  readonly #output = new Float64Array(TOKENS * WIDTH);
  readonly #evaluation: Draw;
  /** Root mean square of (mean output − evaluation's output), after 1, 2, … draws. */
  readonly errors: number[] = [];

  constructor(
    private readonly library: WasmAttention,
    readonly rate: number,
    readonly seed: number,
  ) {
    this.#evaluation = draw(library);
  }

  get meanWeights(): Float64Array {
    return this.#weights.map((sum) => sum / Math.max(1, this.errors.length));
  }

  /** Makes one more draw. */
  next(): void {
    const { weights, output } = draw(this.library, this.rate, this.seed + this.errors.length);
    const count = this.errors.length + 1;
    weights.forEach((value, i) => (this.#weights[i]! += value));
    let squares = 0;
    output.forEach((value, i) => {
      this.#output[i]! += value;
      squares += (this.#output[i]! / count - this.#evaluation.output[i]!) ** 2;
    });
    this.errors.push(Math.sqrt(squares / output.length));
  }

  /** Draws until there are `count`, or for `milliseconds`. */
  advance(count: number, milliseconds = Infinity): void {
    const stop = performance.now() + milliseconds;
    while (this.errors.length < count && performance.now() < stop) this.next();
  }
}

/**
 * The expected error of one draw; that of the mean of N draws is √N times smaller. Each weight is kept with probability
 * 1 − p and then divided by it, so its variance is w²p/(1 − p), and draws of different weights are independent.
 */
export function expectedError(library: WasmAttention, rate: number): number {
  const { weights } = draw(library);
  let variance = 0;
  for (let i = 0; i < TOKENS; ++i) {
    for (let c = 0; c < WIDTH; ++c) {
      for (let j = 0; j < TOKENS; ++j)
        variance += (weights[i * TOKENS + j]! * X.data[j * WIDTH + c]!) ** 2 * (rate / (1 - rate));
    }
  }
  return Math.sqrt(variance / (TOKENS * WIDTH));
}

/** X as source code. */
export function inputText(): string {
  const row = (i: number): string =>
    `  [${Array.from(X.data.subarray(i * WIDTH, (i + 1) * WIDTH), shortest).join(', ')}],`;
  return Array.from({ length: TOKENS }, (_, i) => row(i)).join('\n');
}
