/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, checkProbability, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { normal, seedOf } from './base/random.js';
import type { Layer } from './base/types.js';
import {
  addPositions,
  checkTokens,
  type PositionalEncodingForwardOptions,
  type PositionalEncodingResult,
} from './positional/addPositions.js';

/** The options of `LearnedPositionalEncoding`. */
export interface LearnedPositionalEncodingOptions {
  /** D, the width of a token. */
  numHiddens: number;
  /** The number of positions, each a row of the table. */
  maxLen: number;
  /** Probability of dropping an element of the sum in training. Default 0. */
  dropout?: number;
  /** Seed of the initial values and of dropout. By default each layer has a random one. */
  seed?: number;
}

/**
 * Adds a learned vector at each position, as BERT and GPT-2 do (Gehring et al. 2017). The layer owns its table in wasm
 * memory, which is freed on `dispose()`, at the end of a `using` block, or when the layer is garbage-collected.
 */
export interface LearnedPositionalEncoding extends Omit<Layer, 'forward'> {
  /**
   * dropout(x + weight[offset : offset + n]), with dropout only if `training`. `backward` adds the gradient of each
   * position, summed over the sequences, to the `grad` of `weight`.
   *
   * @param x (B, n, D) or (n, D)
   * @throws RangeError also if offset + n is above maxLen
   * @example
   * const layer = new attention.LearnedPositionalEncoding({ numHiddens: 32, maxLen: 60 });
   * const { output } = layer.forward({ data: new Float32Array(60 * 32), shape: [1, 60, 32] });
   */
  forward(x: TensorLike, options?: PositionalEncodingForwardOptions): PositionalEncodingResult;
  /** `weight`, (maxLen, numHiddens), as in torch.nn.Embedding. */
  stateDict(): Record<string, Tensor>;
}

const OPERATION = 'LearnedPositionalEncoding';
const OPTIONS: Known<LearnedPositionalEncodingOptions> = { numHiddens: 1, maxLen: 1, dropout: 1, seed: 1 };
const FORWARD = `${OPERATION}.forward`;

export class LearnedPositionalEncodingLayer extends ParameterOwner implements LearnedPositionalEncoding {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #width: number;
  readonly #maxLen: number;
  readonly #dropout: number;
  #seed: number;

  constructor(wasm: Wasm, options: LearnedPositionalEncodingOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const width = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
    const maxLen = checkInteger(OPERATION, 'maxLen', given.maxLen, 1);
    const seed = seedOf(OPERATION, given.seed);
    const dropout = given.dropout === undefined ? 0 : checkProbability(OPERATION, 'dropout', given.dropout);
    // As in torch.nn.Embedding.
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
    // Each training step drops different elements.
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
