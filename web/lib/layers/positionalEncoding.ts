/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, checkProbability } from '../check/values.js';
import { checkBase } from '../ops/sinusoidal/frequencies.js';
import { sinusoidalEncoding } from '../ops/sinusoidalEncoding.js';
import { fresh } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { seedOf } from './base/random.js';
import type { Layer, Parameter } from './base/types.js';
import {
  addPositions,
  checkTokens,
  type PositionalEncodingForwardOptions,
  type PositionalEncodingResult,
} from './positional/addPositions.js';

/** d2l's constructor: PositionalEncoding(num_hiddens, dropout, max_len=1000). */
export interface PositionalEncodingOptions {
  /** D, the width of a token; may be odd. */
  numHiddens: number;
  /** Probability of dropping an element of the sum in training. Default 0. */
  dropout?: number;
  /** The initial number of rows of P; default 1000. */
  maxLen?: number;
  /** As in `sinusoidalEncoding`; default 10000. */
  base?: number;
  /** Seed of dropout. By default each layer has a random one. */
  seed?: number;
}

/** Adds the sine and cosine table P to a sequence (Vaswani et al. 2017, section 3.5), with d2l's names. */
export interface PositionalEncoding extends Omit<Layer, 'forward'> {
  /** A copy of the table, (maxLen, numHiddens). It grows when a longer input arrives. */
  readonly P: Tensor;
  /**
   * dropout(x + P[offset : offset + n]), with dropout only if `training`.
   *
   * @param x (B, n, D) or (n, D)
   * @throws RangeError or TypeError for wrong arguments, before anything is computed
   * @example
   * const encoding = new attention.PositionalEncoding({ numHiddens: 32 });
   * const { output } = encoding.forward({ data: new Float32Array(60 * 32), shape: [1, 60, 32] });
   */
  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult;
  /** None: the table is not learned. */
  parameters(): Parameter[];
  /** Empty. */
  stateDict(): Record<string, Tensor>;
  /** Accepts only an empty state. */
  loadStateDict(state: Record<string, TensorLike>): void;
}

const OPERATION = 'PositionalEncoding';
const OPTIONS: Known<PositionalEncodingOptions> = { numHiddens: 1, dropout: 1, maxLen: 1, base: 1, seed: 1 };
const FORWARD = `${OPERATION}.forward`;

export class PositionalEncodingLayer extends ParameterOwner implements PositionalEncoding {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #width: number;
  readonly #dropout: number;
  readonly #base: number;
  #seed: number;
  /** The number of rows of `P`; the table may have more. */
  #length: number;
  #table: Float32Array;

  constructor(wasm: Wasm, options: PositionalEncodingOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const width = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
    const dropout = given.dropout === undefined ? 0 : checkProbability(OPERATION, 'dropout', given.dropout);
    const length = given.maxLen === undefined ? 1000 : checkInteger(OPERATION, 'maxLen', given.maxLen, 0);
    const base = checkBase(OPERATION, given.base, length - 1);
    const seed = seedOf(OPERATION, given.seed);
    const parameters = new Parameters(wasm, OPERATION, []);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#width = width;
    this.#dropout = dropout;
    this.#length = length;
    this.#base = base;
    this.#seed = seed;
    this.#table = this.#rows(OPERATION, this.#length);
  }

  get P(): Tensor {
    this.#parameters.check(`${OPERATION}.P`);
    return { data: this.#table.slice(0, this.#length * this.#width), shape: [this.#length, this.#width] };
  }

  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult {
    this.#parameters.check(FORWARD);
    const tokens = checkTokens(FORWARD, x, options, this.#width);
    const { offset, length, width } = tokens;
    // P grows if a sequence begins within it and ends beyond it. Rows for one that begins beyond it are not kept.
    const within = offset <= this.#length;
    if (within) this.#grow(offset + length);
    const rows = within
      ? this.#table.subarray(offset * width, (offset + length) * width)
      : this.#rows(FORWARD, length, offset);
    const seed = tokens.seed ?? this.#seed;
    // Each training step drops different elements.
    if (tokens.training && tokens.seed === undefined) this.#seed = (this.#seed + 1) >>> 0;
    return addPositions(this.#wasm, tokens, seed, {
      operation: OPERATION,
      dropout: this.#dropout,
      check: (operation) => this.#parameters.check(operation),
      rows: () => this.#wasm.memory.floats(rows),
      gradient: () => 0,
    });
  }

  override dispose(): void {
    super.dispose();
    this.#table = new Float32Array(0);
  }

  #grow(length: number): void {
    if (length <= this.#length) return;
    if (length * this.#width > this.#table.length) {
      // At least doubles the rows, so that decoding token by token does not make a table for every token.
      this.#table = this.#rows(FORWARD, Math.max(length, 2 * this.#length));
    }
    this.#length = length;
  }

  #rows(operation: string, length: number, offset = 0): Float32Array {
    checkBase(operation, this.#base, offset + length - 1);
    const out = fresh(operation, Float32Array, length * this.#width);
    return sinusoidalEncoding(this.#wasm, { length, offset, dim: this.#width, base: this.#base, out }).data;
  }
}
