// The types that both entries export.
export type { AdditiveAttentionOptions, AdditiveAttentionWeights } from './ops/additive/inputs.js';
export type { LoadOptions, WasmSource } from './runtime/load.js';
export type {
  LayerForwardOptions,
  MultiHeadAttention,
  MultiHeadAttentionGradients,
  MultiHeadAttentionOptions,
  MultiHeadAttentionResult,
} from './layers/attention/types.js';
export type { Adam, AdamOptions } from './layers/adam.js';
export type { Embedding, EmbeddingOptions } from './layers/embedding.js';
export type { Activation, FeedForward, FeedForwardOptions } from './layers/feedForward.js';
export type * from './layers/base/types.js';
export type { LayerNorm, LayerNormOptions } from './layers/layerNorm.js';
export type { Linear, LinearOptions } from './layers/linear.js';
export type { KeyValueCache } from './layers/attention/keyValueCache.js';
export type {
  PositionalEncodingForwardOptions,
  PositionalEncodingResult,
} from './layers/positional/addPositions.js';
export type {
  LearnedPositionalEncoding,
  LearnedPositionalEncodingOptions,
} from './layers/learnedPositionalEncoding.js';
export type { PositionalEncoding, PositionalEncodingOptions } from './layers/positionalEncoding.js';
export type { AdditiveAttentionResult } from './ops/additiveAttention.js';
export type { AdditiveAttentionGradients } from './ops/additiveAttentionBackward.js';
export type {
  TransformerEncoderLayer,
  TransformerEncoderLayerForwardOptions,
  TransformerEncoderLayerOptions,
  TransformerEncoderLayerResult,
} from './layers/transformerEncoderLayer.js';
export type { AlibiBiasOptions } from './ops/alibiBias.js';
export type { Architecture, Complexity, ComplexitySize } from './ops/complexity.js';
export type { Conv1dOptions } from './ops/conv1d.js';
export type { EncodingRotationOptions } from './ops/encodingRotation.js';
export type { RelativeShiftBackwardOptions } from './ops/relativeShiftBackward.js';
export type { RnnOptions, RnnResult, RnnWeights } from './ops/rnn.js';
export type { RotaryOptions } from './ops/rotary/options.js';
export type { RotaryScaling } from './ops/rotary/scaling.js';
export type { CrossEntropyOptions, CrossEntropyResult } from './ops/softmaxCrossEntropy.js';
export type { SinusoidalOptions } from './ops/sinusoidalEncoding.js';
export type { Sinusoidal2dOptions } from './ops/sinusoidalEncoding2d.js';
export type { T5RelativeBiasOptions } from './ops/t5RelativeBias.js';
export type { T5RelativeBucketsOptions } from './ops/t5RelativeBuckets.js';
export type * from './types.js';
export type * from './operations.js';
export type * from './layers.js';
export type * from './surface.js';
