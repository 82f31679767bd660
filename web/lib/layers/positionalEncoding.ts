/// <reference lib="esnext.disposable" preserve="true" />
import {
  checkBoolean,
  checkInteger,
  checkOptions,
  checkProbability,
  checkSeed,
  showShape,
  toTensorOfRank,
  toTensorOfShape,
  wrongKind,
  wrongValue,
} from '../check.js';
import { disposeSymbol } from '../dispose.js';
import { checkBase, sinusoidalEncoding } from '../ops/sinusoidalEncoding.js';
import { freshSeed } from '../random.js';
import type { Tensor, TensorLike } from '../types.js';
import type { Wasm } from '../wasm.js';
import { Parameters, type Parameter } from './parameters.js';

/** d2l's constructor: PositionalEncoding(num_hiddens, dropout, max_len=1000). */
export interface PositionalEncodingOptions {
  /** D, the width of a token; odd widths too. */
  numHiddens: number;
  /** Probability of dropping an element of the sum in training. Default 0. */
  dropout?: number;
  /** Rows of P at first; default 1000. */
  maxLen?: number;
  /** As of `sinusoidalEncoding`; default 10000. */
  base?: number;
  /** Seed of dropout; default a fresh one for each layer. */
  seed?: number;
}

/** What a forward pass may be told. */
export interface PositionalEncodingForwardOptions {
  /** Applies dropout, and returns `backward`. Default false. */
  training?: boolean;
  /** Position of the first token; default 0. A whole number. */
  offset?: number;
  /** Dropout's seed for this pass. By default each pass in training takes the next one from the layer's on. */
  seed?: number;
}

/** What `PositionalEncoding.forward` returns. */
export interface PositionalEncodingResult {
  /** The shape of x. */
  output: Tensor;
  /** Present when `training`; can be called once. The gradient passes where dropout let the token pass. */
  backward?(gradOutput: TensorLike): { input: Tensor };
}

/** Adds the sine and cosine table P to a sequence (Vaswani et al. 2017, section 3.5), with d2l's names. */
export interface PositionalEncoding {
  /** (maxLen, numHiddens), a copy. Grows when a longer input arrives: there is no limit to crash at. */
  readonly P: Tensor;
  /**
   * dropout(x + P[offset : offset + n]); dropout only when `training`.
   *
   * @param x (B, n, D) or (n, D)
   * @throws RangeError or TypeError for mistakes, before anything is computed
   * @example
   * const encoding = new attention.PositionalEncoding({ numHiddens: 32 });
   * const { output } = encoding.forward({ data: new Float32Array(60 * 32), shape: [1, 60, 32] });
   */
  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult;
  /** None: the table is not learned. */
  parameters(): Parameter[];
  /** Empty. */
  stateDict(): Record<string, Tensor>;
  /** Accepts an empty state only. */
  loadStateDict(state: Record<string, TensorLike>): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

const OPERATION = 'PositionalEncoding';
const FORWARD = `${OPERATION}.forward`;
const BACKWARD = `${OPERATION}.backward`;

/** The class for a loaded module. */
export function positionalEncodingClass(
  wasm: Wasm,
): new (options: PositionalEncodingOptions) => PositionalEncoding {
  return class PositionalEncoding extends PositionalEncodingLayer {
    constructor(options: PositionalEncodingOptions) {
      super(wasm, options);
    }
  };
}

class PositionalEncodingLayer implements PositionalEncoding {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #width: number;
  readonly #dropout: number;
  readonly #base: number;
  #seed: number;
  /** Rows of `P`; the table may have more. */
  #length: number;
  #table: Float32Array;

  constructor(wasm: Wasm, options: PositionalEncodingOptions) {
    if (options === undefined) wrongKind(OPERATION, 'options with numHiddens', options);
    const given = checkOptions<PositionalEncodingOptions>(OPERATION, options);
    this.#width = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
    this.#dropout = given.dropout === undefined ? 0 : checkProbability(OPERATION, 'dropout', given.dropout);
    this.#length = given.maxLen === undefined ? 1000 : checkInteger(OPERATION, 'maxLen', given.maxLen, 0);
    this.#base = checkBase(OPERATION, given.base, this.#length);
    this.#seed = given.seed === undefined ? freshSeed() : checkSeed(OPERATION, given.seed);
    this.#wasm = wasm;
    this.#parameters = new Parameters(wasm, OPERATION, []);
    this.#table = this.#rows(this.#length);
  }

  get P(): Tensor {
    this.#parameters.check(`${OPERATION}.P`);
    return { data: this.#table.slice(0, this.#length * this.#width), shape: [this.#length, this.#width] };
  }

  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult {
    this.#parameters.check(FORWARD);
    const given = checkOptions<PositionalEncodingForwardOptions>(FORWARD, options);
    const offset = given.offset === undefined ? 0 : checkInteger(FORWARD, 'offset', given.offset, 0);
    const training = given.training !== undefined && checkBoolean(FORWARD, 'training', given.training);
    const chosen = given.seed === undefined ? undefined : checkSeed(FORWARD, given.seed);
    const input = toTensorOfRank(FORWARD, 'x', x, 2, 3);
    const [length, width] = input.shape.slice(-2) as [number, number];
    if (width !== this.#width)
      wrongValue(FORWARD, `x of width ${this.#width}`, `shape ${showShape(input.shape)}`);
    this.#grow(offset + length);

    const seed = chosen ?? this.#seed;
    // Every training step drops other elements.
    if (training && chosen === undefined) this.#seed = (this.#seed + 1) >>> 0;
    const dropout = training ? this.#dropout : 0;
    const rows = this.#table.subarray(offset * width, (offset + length) * width);
    const output = this.#add(FORWARD, input, rows, length, seed, dropout);
    if (!training) return { output };
    let used = false;
    const backward = (gradOutput: TensorLike): { input: Tensor } => {
      this.#parameters.check(BACKWARD);
      if (used) wrongKind(BACKWARD, 'one call for each forward pass', 'a second one');
      const gradient = toTensorOfShape(BACKWARD, 'gradOutput', gradOutput, input.shape);
      used = true;
      return { input: this.#add(BACKWARD, gradient, null, length, seed, dropout) };
    };
    return { output, backward };
  }

  parameters(): Parameter[] {
    return this.#parameters.list();
  }

  stateDict(): Record<string, Tensor> {
    return this.#parameters.stateDict();
  }

  loadStateDict(state: Record<string, TensorLike>): void {
    this.#parameters.load(state);
  }

  dispose(): void {
    this.#parameters.dispose();
    this.#table = new Float32Array(0);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  /** dropout(x + table), the table repeated for each sequence. */
  #add(
    operation: string,
    x: Tensor,
    table: Float32Array | null,
    length: number,
    seed: number,
    dropout: number,
  ): Tensor {
    const { raw, memory } = this.#wasm;
    const batch = x.shape.length === 3 ? x.shape[0]! : 1;
    const data = memory.scope(operation, () => {
      const sum = memory.floats(x.data);
      const rows = table ? memory.floats(table) : 0;
      raw.addPositions(sum, rows, sum, batch, length, this.#width, seed, dropout);
      return memory.read(sum, x.data.length);
    });
    return { data, shape: [...x.shape] };
  }

  #grow(length: number): void {
    if (length <= this.#length) return;
    if (length * this.#width > this.#table.length) {
      checkBase(FORWARD, this.#base, length);
      // Twice the rows at least, so that token-by-token decoding does not make a table for every token.
      this.#table = this.#rows(Math.max(length, 2 * this.#length));
    }
    this.#length = length;
  }

  #rows(length: number): Float32Array {
    return sinusoidalEncoding(this.#wasm, { length, dim: this.#width, base: this.#base }).data;
  }
}
