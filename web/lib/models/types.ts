/// <reference lib="esnext.disposable" preserve="true" />
import type { Operations } from '../operations.js';
import type { Known } from '../check/options.js';
import type { MatrixType, WeightType } from '../check/weightType.js';
import type { Tensor, TensorLike } from '../types.js';
import type { KeyValueCache } from '../steps/cache.js';
import type { SentenceModules } from './checkpoint/types.js';
import type { Part, PositionKind } from './config/architecture.js';
import type { Weights } from './files.js';
import type { TokenIds } from './tokens.js';

export type { MatrixType, WeightType } from '../check/weightType.js';
export type { Part, PositionKind } from './config/architecture.js';
export type { Weights } from './files.js';
export type { TokenIds } from './tokens.js';

/** The options of `openModel`. */
export interface OpenModelOptions {
  /** The checkpoint's config.json, parsed. Only a GGUF file needs none, and refuses one. */
  config?: unknown;
  /** Its .safetensors files, in any order, one GGUF file, or tensors by name. Files are read tensor by tensor. */
  weights: Weights;
  /** model.safetensors.index.json, parsed. It says which file has each tensor; other files are not opened. */
  index?: unknown;
  /** generation_config.json, parsed. Its `eos_token_id` comes before the one of `config`. */
  generationConfig?: unknown;
  /** Has no effect: a checkpoint of `readCheckpoint` has one. */
  imageConfig?: unknown;
  /**
   * The tower to open of a checkpoint with two, CLIP's or SigLIP's: 'vision' gives a `VisionModel`, 'text' a `Model`.
   * Needed there, except for classifiers of pictures, and refused elsewhere.
   */
  part?: Part;
  /** What `embed` does after the last layer, as modules.json of sentence-transformers lists it. Default: the mean. */
  sentence?: SentenceModules;
  /** Has no effect: a checkpoint of `readCheckpoint` has one. */
  tokenizer?: unknown;
  /** Ends the opening with its reason. Then nothing stays in memory. */
  signal?: AbortSignal;
  /** A loaded module, with threads or from `wasm-attention/slim` for instance. Default: imports `wasm-attention`. */
  attention?: Operations;
  /**
   * How matrices are stored: as they are, rounded to float16, or in a byte for each number and a scale for every 128
   * columns of a row. The rows that these multiply are rounded too, but for the few numbers of a row that are much
   * larger than the others. 'int8' rounds to whole numbers within 63, and rows to 127; 'int8-fine' to 127, and rows to
   * 32767, which changes half as much and, with relaxed SIMD, takes 1.4 times as long. Norms, biases and tables of positions stay
   * float32. Default 'float32'.
   */
  weightType?: MatrixType;
  /** How caches store keys and values, as in `createCache`. Default 'float32'. */
  cacheType?: WeightType;
  /** Called with the bytes read so far, and of all that will be read. */
  onProgress?: (done: number, total: number) => void;
}

/** How `embed` makes one vector of all tokens that are not padding. */
export type Pooling = 'mean' | 'cls' | 'max' | 'last' | 'mean_sqrt_len' | 'weighted_mean';

/** The options of `embed`. */
export interface EmbedOptions {
  /** (B, T): 1 for a token, 0 for padding. */
  attentionMask?: TokenIds;
  /** (B, T): each token's type, if the model has types. Default 0. */
  tokenTypes?: TokenIds;
  /**
   * The mean, the first token, the largest numbers, the last token, the sum divided by the root of the count, or the mean
   * weighted by places in the row, padding included. Default: what `sentence` says, or the mean.
   */
  pooling?: Pooling;
  /** Whether to bring vectors to length 1. Default: whether `sentence` has a Normalize. */
  normalize?: boolean;
  /** Keeps the first so many numbers, of models that were trained for it (Matryoshka). Default: all. */
  dim?: number;
}

/** The key of the function that opens models in the worker of a module. @internal */
export const OPEN_MODEL = Symbol('openModel');

/** @internal */
export const OPEN_OPTIONS: Known<OpenModelOptions> = {
  config: 1,
  weights: 1,
  index: 1,
  generationConfig: 1,
  imageConfig: 1,
  sentence: 1,
  tokenizer: 1,
  signal: 1,
  attention: 1,
  onProgress: 1,
  weightType: 1,
  cacheType: 1,
  part: 1,
};

/** The size of a model's cache, and how it stores numbers. */
export interface ModelCacheOptions {
  /** B. Default 1. */
  batch?: number;
  /** The largest number of tokens of each sequence, allocated at once. Default: the model's `maxLength`. */
  maxLength?: number;
  /**
   * How keys and values are stored. 'float16' rounds them and takes half the memory; 'int8' stores keys in float16 and
   * values as whole numbers from -127 to 127, with a scale for each head of each token, in about 3/8. Default:
   * `cacheType` of `openModel`.
   */
  cacheType?: WeightType;
}

/** All layers' keys and values. */
export type ModelCache = KeyValueCache;

/** The options of `forward`. */
export interface ModelForwardOptions {
  /**
   * (B, T): 1 for a token, 0 for padding. With a cache (B, length + T), where the cache's tokens keep their entries; without
   * it all new ones are tokens.
   */
  attentionMask?: TokenIds;
  /** (B, T): each token's type, if the model has types. Default 0. */
  tokenTypes?: TokenIds;
  /** Whether to return the attention weights of every layer, which cost memory. Default false. */
  needWeights?: boolean;
  /** Whether to return the input of each layer, and the output of the last. Default false. */
  needHiddenStates?: boolean;
  /** Whether to compute only the logits of each row's last token that is no padding. Default false. */
  lastOnly?: boolean;
  /** From `createCache`: the pass continues after its tokens, and adds these to it. */
  cache?: ModelCache;
  /** Replaces the config's sliding window: how many keys up to its own a query sees. */
  window?: number;
  /** Heads whose output is replaced with zeros: [layer, head]. */
  ablate?: readonly (readonly [layer: number, head: number])[];
  /**
   * Neurons of feed-forward networks whose activation, times the value in gated ones, is replaced with zero:
   * [layer, neuron].
   */
  ablateNeurons?: readonly (readonly [layer: number, neuron: number])[];
  /**
   * By TransformerLens's names: functions that read a tensor of the pass and may return one that replaces it; or tensors
   * that replace it, also in a worker.
   */
  hooks?: ModelHooks;
  /** 'none' removes all positional information; a list replaces the positions, counted from 0. */
  positions?: 'none' | TokenIds;
}

/** The options of a `VisionModel`'s `forward`. */
export type VisionForwardOptions = Omit<ModelForwardOptions, 'attentionMask' | 'tokenTypes' | 'lastOnly' | 'cache'>;

/** Functions by the names of what they see, or tensors that replace it; the guide "Real models" lists them. */
// A function that returns nothing has the type void.
// oxlint-disable-next-line typescript/no-invalid-void-type
export type ModelHooks = Record<string, ((value: Tensor) => Tensor | void) | TensorLike>;

/** What `forward` returns. */
export interface ModelResult {
  /** (B, T, D), after the last norm, which CLIP's pictures do not have; in OPT of narrow embeddings, as wide as these. */
  hidden: Tensor;
  /**
   * (B, T, V), or (B, 1, V) with `lastOnly`; (B, classes) if the head classifies sequences or pictures, (B, T, classes) if it
   * classifies tokens, (B, T, 2) if it finds where an answer begins and ends, (B, T) if it finds replaced tokens (above
   * 0).
   */
  logits?: Tensor;
  /**
   * (B, D): the pooler's vector, for encoders that have a pooler; the class token's, normed, in DINOv2 and CLIP's
   * pictures; the vector of the attention that pools SigLIP's; that of the end token in CLIP's texts.
   */
  pooled?: Tensor;
  /** (B, P): CLIP's projection of `pooled`, in which pictures and texts are compared. Its length is not 1. */
  embeds?: Tensor;
  /** numLayers of (B, H, T, S). */
  weights?: Tensor[];
  /**
   * numLayers + 1 of (B, T, D), as in transformers: the last one is `hidden`, normed in decoders and ModernBERT; in models of
   * pictures and in CLIP's texts it is what the last norm reads.
   */
  hiddenStates?: Tensor[];
}

/** What a `VisionModel`'s `forward` returns. Tokens are special ones, and then a patch each. */
export type VisionResult = ModelResult;

/** The options of `generate`. */
export interface GenerateOptions {
  /** The prompt continues after its tokens. */
  cache?: ModelCache;
  /** Default: as many as the model or the cache has room for. */
  maxTokens?: number;
  /** Divides the logits before sampling. By default the most likely token is taken. */
  temperature?: number;
  /** Samples from this many of the most likely tokens. Default: all. */
  topK?: number;
  /** Samples from the most likely of these tokens that together have this probability. Default 1. */
  topP?: number;
  /** Samples from those of these tokens that are at least so many times as likely as the most likely one. Default 0. */
  minP?: number;
  /**
   * Above 1 makes the tokens of the prompt and the text less likely, once each: logits above 0 are divided by it, others
   * multiplied. Default 1.
   */
  repetitionPenalty?: number;
  /** Makes sampling reproducible; row b of a list of prompts draws from seed + b. Default: random. */
  seed?: number;
  /** End a text, in place of the checkpoint's end tokens; `[]` ends at none. */
  stopTokens?: readonly number[];
  /**
   * Sees each step's logits (V), and may change them, before all else is applied; `ids` are the prompt and the text so
   * far. With a list of prompts it is called for each text that has not ended.
   */
  onLogits?: (logits: Float32Array, ids: readonly number[]) => void;
  /** Ends the generation between two tokens. */
  signal?: AbortSignal;
  ablate?: ModelForwardOptions['ablate'];
  ablateNeurons?: ModelForwardOptions['ablateNeurons'];
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
  minP: 1,
  repetitionPenalty: 1,
  seed: 1,
  stopTokens: 1,
  onLogits: 1,
  signal: 1,
  ablate: 1,
  ablateNeurons: 1,
  positions: 1,
  hooks: 1,
};

/** A model's properties. */
export interface ModelFacts {
  /** The config's `model_type`. */
  readonly family: string;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numHiddens: number;
  /** 0 for pictures. */
  readonly vocabSize: number;
  /**
   * The most tokens that a pass and its cache may hold: `max_position_embeddings`, or more where rotary positions are
   * scaled beyond it. For pictures, of which larger ones are read, too, the tokens of one of the config's size.
   */
  readonly maxLength: number;
  /** Whether tokens see only those before them. Otherwise `generate` and `createCache` throw. */
  readonly isCausal: boolean;
  /** How it encodes positions. */
  readonly positionKind: PositionKind;
  /**
   * The names of the classes in `logits`: the config's `id2label`, or LABEL_0, LABEL_1 and so on. Undefined if the
   * model does not classify.
   */
  readonly labels?: readonly string[] | undefined;
  /** CLIP and SigLIP: the similarity of a picture and a text is exp(logitScale) · cos(image, text) + logitBias. */
  readonly logitScale?: number | undefined;
  readonly logitBias?: number | undefined;
  /** Bytes that its parameters take in wasm memory. */
  readonly parameterBytes: number;
  /** Names of the files' tensors that the model does not use. */
  readonly unused: readonly string[];
}

/** The options of `unembed`. */
export interface UnembedOptions {
  /** Whether the final norm comes first, if the model has one. Default true. */
  norm?: boolean;
}

/** Looks into a model. */
export interface Microscope<Input = TokenIds, Options = ModelForwardOptions> {
  /**
   * One pass, and the tensors in it that have these names, or all names that a pattern fits. Options are those of
   * `forward`; with `hooks` tensors are what stands there after them. What stands at padding is undefined.
   *
   * @param names TransformerLens's, which the guide "Real models" lists
   * @throws TypeError for a name that the model does not have, and for a pattern that fits none
   * @example
   * const stream = model.activations(ids, /hook_resid_post$/);
   */
  activations(input: Input, names: RegExp | readonly string[], options?: Options): Record<string, Tensor>;

  /**
   * Logits of any residual stream, such as that between two layers: the logit lens (nostalgebraist 2020). It is normed by
   * the final norm, and goes through all that follows: OPT's map to narrow embeddings, a masked language model's
   * transform, the output map and its bias, a factor, a soft cap. Models with norms after the sums (BERT) have no
   * final norm: give them `hook_normalized_resid_post`.
   *
   * @param residual (…, D)
   * @returns (…, V)
   * @throws TypeError for a model that does not predict tokens; RangeError for another width
   * @example
   * const { 'blocks.1.hook_resid_post': residual } = model.activations(ids, ['blocks.1.hook_resid_post']);
   * const logits = model.unembed(residual);
   */
  unembed(residual: TensorLike, options?: UnembedOptions): Tensor;
}

/** A model from `openModel`. */
export interface Model extends ModelFacts, Microscope {
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
   * Sentence embeddings: the vectors of tokens pooled, then mapped by each Dense of `openModel`'s `sentence`, cut to
   * `dim` numbers, and brought to length 1.
   *
   * @returns (B, D), or as many numbers as there are vectors of poolings, the last Dense gives, or `dim` keeps
   */
  embed(ids: TokenIds, options?: EmbedOptions): Tensor;

  /**
   * The tokens that follow a prompt, one by one, up to and including an end token of the checkpoint. Between tokens it lets
   * other tasks run every 16 ms. The option `cache` then holds the prompt and all tokens but the last, with which the
   * next prompt begins.
   *
   * @throws TypeError also for encoders, which predict no next token, and for a cache that something else has changed
   *   between two tokens
   * @example
   * for await (const id of model.generate(prompt, { maxTokens: 200 })) write(id);
   */
  generate(ids: readonly number[], options?: GenerateOptions): AsyncGenerator<number>;

  /**
   * The tokens that follow each of several prompts, of any length: a list with one for each prompt at a time. Each text
   * is the same as alone; after its last token come -1.
   *
   * @example
   * for await (const [first, second] of model.generate([prompt, [1, 403]], { maxTokens: 20 })) write(first, second);
   */
  generate(prompts: readonly (readonly number[])[], options?: GenerateOptions): AsyncGenerator<number[]>;

  /**
   * Makes a cache for the keys and values of all layers. As float32 it allocates at once 8 · batch · maxLength · layers
   * · key/value heads · head width bytes: by default for the model's whole context, which may be gigabytes. `generate`
   * needs no cache: its own begins small and grows.
   *
   * @throws TypeError for encoders; RangeError if the memory runs out
   */
  createCache(options?: ModelCacheOptions): ModelCache;

  /** Frees its memory. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Where a picture's patches are among the tokens: token `first + row * columns + column`. */
export interface Patches {
  first: number;
  rows: number;
  columns: number;
  /** The pixels of a patch's side. */
  size: number;
}

/** A model of pictures from `openModel`. */
export interface VisionModel extends ModelFacts, Microscope<TensorLike, VisionForwardOptions> {
  /**
   * One pass over pictures. For another size than the config's, the table of positions is resized as transformers does with
   * `interpolate_pos_encoding`. Pixels that fill no patch, at the right and below, are not read.
   *
   * @param pixels (B, C, H, W), normalised as the checkpoint's preprocessor_config.json says
   * @throws RangeError for another shape, for pictures smaller than a patch, and for another size than the config's where the
   *   table is no square; TypeError for a hook that does not exist
   * @example
   * const { logits, weights } = model.forward(pixels, { needWeights: true });
   */
  forward(pixels: TensorLike, options?: VisionForwardOptions): VisionResult;

  /** Where the patches of a picture of this size are among the tokens. */
  patches(height: number, width: number): Patches;

  /** Frees its memory. */
  dispose(): void;
  [Symbol.dispose](): void;
}
