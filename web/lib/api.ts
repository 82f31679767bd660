// Types that several entries export.
export type { MatrixType, WeightType } from './check/weightType.js';
export type { LoadOptions } from './loadOptions.js';
export type { WasmSource } from './runtime/compile.js';
export type * from './runtime/hostTypes.js';
export type {
  LayerForwardOptions,
  MultiHeadAttention,
  MultiHeadAttentionGradients,
  MultiHeadAttentionOptions,
  MultiHeadAttentionResult,
} from './layers/attention/types.js';
export type { HeadOptions, ProjectionBiases } from './layers/attention/headOptions.js';
export type { CrossOptions } from './layers/block/blockLayer.js';
export type { Adam, AdamOptions } from './layers/adam.js';
export type { Embedding, EmbeddingOptions } from './layers/embedding.js';
export type { Activation } from './layers/feedForward.js';
export type { FeedForward, FeedForwardOptions } from './layers/feedForward.js';
export type { GatedFeedForward, GatedFeedForwardOptions } from './layers/feedForward.js';
export type * from './layers/base/types.js';
export type { LayerNorm, LayerNormOptions } from './layers/norms.js';
export type { RMSNorm, RMSNormOptions } from './layers/norms.js';
export type { Linear, LinearOptions } from './layers/linear.js';
export type { CacheOptions } from './layers/attention/past.js';
export type { KeyValueCache } from './steps/cache.js';
export type { PositionalEncodingForwardOptions, PositionalEncodingResult } from './layers/positional/addPositions.js';
export type {
  LearnedPositionalEncoding,
  LearnedPositionalEncodingOptions,
} from './layers/learnedPositionalEncoding.js';
export type { PositionalEncoding, PositionalEncodingOptions } from './layers/positionalEncoding.js';
export type {
  TransformerDecoderLayer,
  TransformerDecoderLayerForwardOptions,
  TransformerDecoderLayerOptionGradients,
  TransformerDecoderLayerOptions,
  TransformerDecoderLayerResult,
} from './layers/transformerDecoderLayer.js';
export type {
  TransformerEncoderLayer,
  TransformerEncoderLayerForwardOptions,
  TransformerEncoderLayerOptions,
  TransformerEncoderLayerResult,
} from './layers/transformerEncoderLayer.js';
export type { RotaryScaling } from './ops/rotary/scaling.js';
export type * from './types.js';
export type * from './operations.js';
export type * from './layers.js';
export type * from './wasmAttention.js';
