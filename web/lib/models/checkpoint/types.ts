/** A folder as it is published. */

/**
 * A file that is read piece by piece: a Blob, or one behind an address or a path. Bytes of
 * another number than `size` are an error that names the file.
 */
export interface WeightFile {
  /** Without folders, as in a shard index; a Blob that is no File has none. */
  readonly name?: string;
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  stream(): ReadableStream<Uint8Array>;
}

/** All that a published folder says of a model: `openModel({ ...checkpoint })` opens it. */
export interface Checkpoint {
  /** config.json; a GGUF file has its own. */
  config?: unknown;
  /** The files of weights, found but not read. */
  weights: readonly WeightFile[];
  /** model.safetensors.index.json: which file has each tensor. */
  index?: unknown;
  /** generation_config.json */
  generationConfig?: unknown;
  /** preprocessor_config.json, with `model_type` of config.json if it names no processor, since that decides then. */
  imageConfig?: unknown;
  /** What modules.json of sentence-transformers lists. */
  sentence?: SentenceModules;
  /**
   * tokenizer.json and tokenizer_config.json, for npm's `@huggingface/tokenizers`. A GGUF file's are made of its
   * metadata, `json` when it is first read.
   */
  tokenizer?: { json: unknown; config: unknown };
}

/** The modules of sentence-transformers behind the model, which are applied in this order. */
export interface SentenceModules {
  /**
   * 1_Pooling/config.json. Several modes give vectors one after another: old flags (`pooling_mode_cls_token`) in the order
   * cls, max, mean, mean_sqrt_len, weightedmean, lasttoken; a list (`pooling_mode`) in its own.
   */
  pooling?: unknown;
  /** Each Dense: its config.json and its model.safetensors. */
  dense?: readonly { config: unknown; weights: ArrayBuffer | ArrayBufferView | WeightFile }[];
  /** Whether there is a Normalize, as the last one. */
  normalize?: boolean;
}
