// The types that both entries export.
export type { AdditiveAttentionOptions, AdditiveAttentionWeights } from './additive.js';
export type { LoadOptions, WasmSource } from './load.js';
export type {
  LayerForwardOptions,
  MultiHeadAttention,
  MultiHeadAttentionGradients,
  MultiHeadAttentionOptions,
  MultiHeadAttentionResult,
} from './layers/types.js';
export type { Adam, AdamOptions } from './layers/adam.js';
export type { Embedding, EmbeddingOptions } from './layers/embedding.js';
export type { Activation, FeedForward, FeedForwardOptions } from './layers/feedForward.js';
export type { BackwardOptions, ForwardOptions, Layer, LayerResult } from './layers/layer.js';
export type { LayerNorm, LayerNormOptions } from './layers/layerNorm.js';
export type { Linear, LinearOptions } from './layers/linear.js';
export type { KeyValueCache } from './layers/keyValueCache.js';
export type { Parameter } from './layers/parameters.js';
export type { PositionalEncodingForwardOptions, PositionalEncodingResult } from './layers/addedPositions.js';
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
export type { RotaryOptions } from './rotary.js';
export type { RotaryScaling } from './rotaryScaling.js';
export type { CrossEntropyOptions, CrossEntropyResult } from './ops/softmaxCrossEntropy.js';
export type { SinusoidalOptions } from './ops/sinusoidalEncoding.js';
export type { Sinusoidal2dOptions } from './ops/sinusoidalEncoding2d.js';
export type { T5RelativeBiasOptions } from './ops/t5RelativeBias.js';
export type { T5RelativeBucketsOptions } from './ops/t5RelativeBuckets.js';
export type * from './types.js';
export type * from './operations.js';
export type * from './layers.js';
export type * from './surface.js';
