/// <reference lib="esnext.disposable" preserve="true" />
import type { Operations } from '../operations.js';
import type { Known } from '../check/options.js';
import type { WeightType } from '../check/weightType.js';
import type { Tensor } from '../types.js';
import type { KeyValueCache } from '../steps/cache.js';
import type { PositionKind } from './config/architecture.js';
import type { Weights } from './files.js';
import type { TokenIds } from './tokens.js';

export type { WeightType } from '../check/weightType.js';
export type { PositionKind } from './config/architecture.js';
export type { Weights } from './files.js';
export type { TokenIds } from './tokens.js';

/** The options of `openModel`. */
export interface OpenModelOptions {
  /** The checkpoint's config.json, parsed. */
  config: unknown;
  /** The bytes of its .safetensors files, in any order, or tensors by name. */
  weights: Weights;
  /** As loaded with threads or from `wasm-attention/slim`; default: `wasm-attention`'s own, imported then. */
  attention?: Operations;
  /**
   * How matrices are kept in memory: as they are, rounded to float16, or rounded to 127 steps with a scale for every
   * 128 columns of a row. With 'int8' the rows that meet them are rounded too, to 255 steps. Norms, biases and tables
   * of positions stay float32. Default 'float32'.
   */
  weightType?: WeightType;
  /** How caches keep keys and values, as in `createCache`. Default 'float32'. */
  cacheType?: WeightType;
  /** Called with the bytes of the parameters that are in place, and of all of them. */
  onProgress?: (done: number, total: number) => void;
}

/** The name of the function that opens models where a module is loaded in a worker. @internal */
export const OPEN_MODEL = Symbol('openModel');

/** @internal */
export const OPEN_OPTIONS: Known<OpenModelOptions> = {
  config: 1,
  weights: 1,
  attention: 1,
  onProgress: 1,
  weightType: 1,
  cacheType: 1,
};

/** What a model's cache has room for, and how. */
export interface ModelCacheOptions {
  /** B. Default 1. */
  batch?: number;
  /** The largest number of tokens of each sequence. Default: the model's, whose memory is taken at once. */
  maxLength?: number;
  /**
   * How keys and values are kept. 'float16' rounds them and takes half of the memory; 'int8' keeps a whole number from
   * -127 to 127 of each and a scale for each head of each token, in about a quarter of the memory. Default: `cacheType`
   * of `openModel`.
   */
  cacheType?: WeightType;
}

/** All layers' keys and values. */
export type ModelCache = KeyValueCache;

/** The options of `forward`. */
export interface ModelForwardOptions {
  /** (B, T): 1 for a token, 0 for padding. */
  attentionMask?: TokenIds;
  /** (B, T): each token's type, where the model has types. Default 0. */
  tokenTypes?: TokenIds;
  /** Whether to return the attention weights of every layer, which cost memory. Default false. */
  needWeights?: boolean;
  /** Whether to return what goes into each layer, and what comes out of the last. Default false. */
  needHiddenStates?: boolean;
  /** Whether to compute only the logits of each row's last token. Default false. */
  lastOnly?: boolean;
  /** From `createCache`: goes on behind what it holds, and adds these tokens. */
  cache?: ModelCache;
  /** In place of the config's sliding window: how many keys up to its own a query sees. */
  window?: number;
  /** Heads whose output is replaced by zeros: [layer, head]. */
  ablate?: readonly (readonly [layer: number, head: number])[];
  /**
   * Functions that read a tensor of the pass and, if they return one of the same shape, replace it, by
   * TransformerLens's names.
   */
  hooks?: ModelHooks;
  /** 'none' takes the model's sense of order away; a list has the positions of your own, counted from 0. */
  positions?: 'none' | TokenIds;
}

/** Functions by the names of what they see; the guide "Real models" lists them. */
// A function that returns nothing has the type void.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type ModelHooks = Record<string, (value: Tensor) => Tensor | void>;

/** What `forward` returns. */
export interface ModelResult {
  /** (B, T, D), after the last norm. */
  hidden: Tensor;
  /**
   * (B, T, V), or (B, 1, V) with `lastOnly`; (B, classes) of a head that classifies sequences, (B, T, classes) of one
   * that classifies tokens, (B, T, 2) of one that finds where an answer begins and ends, (B, T) of one that finds
   * tokens that were replaced (above 0).
   */
  logits?: Tensor;
  /** (B, D): the pooler's vector, of encoders that have one. */
  pooled?: Tensor;
  /** numLayers of (B, H, T, S). */
  weights?: Tensor[];
  /** numLayers + 1 of (B, T, D), as in transformers: a decoder's last one is normed. */
  hiddenStates?: Tensor[];
}

/** The options of `generate`. */
export interface GenerateOptions {
  /** Goes on behind what it holds. */
  cache?: ModelCache;
  /** Default: as many as the model or the cache has room for. */
  maxTokens?: number;
  /** Divides the logits before a token is drawn. Default: the most likely token is taken. */
  temperature?: number;
  /** Draws among this many of the most likely tokens. Default: all. */
  topK?: number;
  /** Draws among the most likely tokens that together have this probability. Default 1. */
  topP?: number;
  /** Makes draws repeatable. Default: random. */
  seed?: number;
  /** Ends the generation between two tokens. */
  signal?: AbortSignal;
  ablate?: ModelForwardOptions['ablate'];
  positions?: 'none';
  hooks?: ModelHooks;
}

/** @internal */
export const GENERATE_OPTIONS: Known<GenerateOptions> = {
  cache: 1,
  maxTokens: 1,
  temperature: 1,
  topK: 1,
  topP: 1,
  seed: 1,
  signal: 1,
  ablate: 1,
  positions: 1,
  hooks: 1,
};

/** What is known of a model. */
export interface ModelFacts {
  /** As the config's `model_type`. */
  readonly family: string;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numHiddens: number;
  readonly vocabSize: number;
  /**
   * The most tokens that a pass and its cache may hold: `max_position_embeddings`, or more where rotary positions are
   * scaled beyond it.
   */
  readonly maxLength: number;
  /** Whether tokens see only those before them. Otherwise `generate` and `createCache` are refused. */
  readonly isCausal: boolean;
  /** How its tokens know their places. */
  readonly positionKind: PositionKind;
  /**
   * The names of the classes that `logits` are of: the config's `id2label`, or LABEL_0, LABEL_1 and so on. Undefined if
   * the model does not classify.
   */
  readonly labels?: readonly string[];
  /** Bytes that its parameters take in wasm memory. */
  readonly parameterBytes: number;
  /** Names of the files' tensors for which the model has no use. */
  readonly unused: readonly string[];
}

/** A model from `openModel`. */
export interface Model extends ModelFacts {
  /**
   * One pass over tokens.
   *
   * @param ids (B, T) or (T). Rows may be of unequal length without an `attentionMask`: shorter ones are padded and
   *   masked.
   * @throws RangeError for ids beyond the vocabulary, for more tokens than the model has positions, and for shapes that
   *   do not fit; TypeError for a hook that does not exist
   * @example
   * const { logits } = model.forward([1, 403, 407], { lastOnly: true });
   */
  forward(ids: TokenIds, options?: ModelForwardOptions): ModelResult;

  /**
   * Sentence embeddings: the mean of the hidden states over tokens that are no padding, with `normalize` of length 1.
   *
   * @returns (B, D)
   */
  embed(ids: TokenIds, options?: { attentionMask?: TokenIds; normalize?: boolean }): Tensor;

  /**
   * The tokens that follow a prompt, one by one, up to and including one that the config names as the end. Between
   * tokens it gives way to other tasks every 16 ms. A `cache` of the caller's then holds the prompt and all tokens but
   * the last: the next prompt begins with that one.
   *
   * @throws TypeError also for encoders, which predict no next token, and for a cache that something else has changed
   *   between two tokens
   * @example
   * for await (const id of model.generate(prompt, { maxTokens: 200 })) write(id);
   */
  generate(ids: readonly number[], options?: GenerateOptions): AsyncGenerator<number>;

  /**
   * Room for the keys and values of all layers, which takes memory at once: 8 · batch · maxLength · layers · key/value
   * heads · head width bytes as float32. By default that is the model's whole context, which may be gigabytes.
   * `generate` without a cache needs none of this: its own begins small and grows.
   *
   * @throws TypeError for encoders; RangeError if the memory runs out
   */
  createCache(options?: ModelCacheOptions): ModelCache;

  /** Frees its memory. */
  dispose(): void;
  [Symbol.dispose](): void;
}
