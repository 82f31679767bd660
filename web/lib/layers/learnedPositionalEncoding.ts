/// <reference lib="esnext.disposable" preserve="true" />
import { checkInteger, checkProbability, checkRequired, checkSeed, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { freshSeed, normal } from './base/random.js';
import type { Layer } from './base/types.js';
import {
  addPositions,
  checkTokens,
  type PositionalEncodingForwardOptions,
  type PositionalEncodingResult,
} from './positional/addPositions.js';

/** What `LearnedPositionalEncoding` is made from. */
export interface LearnedPositionalEncodingOptions {
  /** D, the width of a token. */
  numHiddens: number;
  /** Rows of the table: the longest sequence there is a position for. */
  maxLen: number;
  /** Probability of dropping an element of the sum in training. Default 0. */
  dropout?: number;
  /** Seed of the first weights and of dropout; default a fresh one for each layer. */
  seed?: number;
}

/**
 * Adds a learned vector to each position (Gehring et al. 2017; BERT's and GPT-2's positions). The layer owns its table, in
 * wasm memory, which goes with it: on `dispose()`, at the end of a `using` block, or when it is garbage-collected.
 */
export interface LearnedPositionalEncoding extends Omit<Layer, 'forward'> {
  /**
   * dropout(x + weight[offset : offset + n]); dropout only when `training`. `backward` adds each position's gradient, summed
   * over the sequences, to `weight`'s `grad`.
   *
   * @param x (B, n, D) or (n, D)
   * @throws RangeError where offset + n is beyond maxLen; RangeError or TypeError for other mistakes
   * @example
   * const layer = new attention.LearnedPositionalEncoding({ numHiddens: 32, maxLen: 60 });
   * const { output } = layer.forward({ data: new Float32Array(60 * 32), shape: [1, 60, 32] });
   */
  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult;
  /** `weight`, (maxLen, numHiddens): as of torch.nn.Embedding. */
  stateDict(): Record<string, Tensor>;
}

const OPERATION = 'LearnedPositionalEncoding';
const FORWARD = `${OPERATION}.forward`;

/** The class for a loaded module. */
export function learnedPositionalEncodingClass(
  wasm: Wasm,
): new (options: LearnedPositionalEncodingOptions) => LearnedPositionalEncoding {
  return class LearnedPositionalEncoding extends LearnedPositionalEncodingLayer {
    constructor(options: LearnedPositionalEncodingOptions) {
      super(wasm, options);
    }
  };
}

class LearnedPositionalEncodingLayer extends ParameterOwner implements LearnedPositionalEncoding {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #width: number;
  readonly #maxLen: number;
  readonly #dropout: number;
  #seed: number;

  constructor(wasm: Wasm, options: LearnedPositionalEncodingOptions) {
    const given = checkRequired<LearnedPositionalEncodingOptions>(
      OPERATION,
      options,
      'numHiddens and maxLen',
    );
    const width = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
    const maxLen = checkInteger(OPERATION, 'maxLen', given.maxLen, 1);
    const seed = given.seed === undefined ? freshSeed() : checkSeed(OPERATION, given.seed);
    const dropout = given.dropout === undefined ? 0 : checkProbability(OPERATION, 'dropout', given.dropout);
    // torch.nn.Embedding's first values.
    const initial = () => normal(seed, 0, maxLen * width);
    const parameters = new Parameters(wasm, OPERATION, [{ name: 'weight', shape: [maxLen, width], initial }]);
    super(parameters);
    this.#parameters = parameters;
    this.#dropout = dropout;
    this.#wasm = wasm;
    this.#width = width;
    this.#maxLen = maxLen;
    this.#seed = seed;
  }

  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult {
    const parameters = this.#parameters;
    parameters.check(FORWARD);
    const tokens = checkTokens(FORWARD, x, options, this.#width);
    const { offset, length } = tokens;
    if (offset + length > this.#maxLen) {
      wrongValue(FORWARD, `positions below maxLen (${this.#maxLen})`, `${offset} to ${offset + length - 1}`);
    }
    const seed = tokens.seed ?? this.#seed;
    // Every training step drops other elements.
    if (tokens.training && tokens.seed === undefined) this.#seed = (this.#seed + 1) >>> 0;
    const first = 4 * offset * this.#width;
    return addPositions(this.#wasm, tokens, seed, {
      operation: OPERATION,
      dropout: this.#dropout,
      check: (operation) => parameters.check(operation),
      rows: () => parameters.address('weight') + first,
      gradient: () => parameters.gradient('weight') + first,
    });
  }
}
