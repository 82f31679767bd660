import { AdamOptimizer, type Adam, type AdamOptions } from './layers/adam.js';
import { classOf } from './layers/base/layer.js';
import type { Parameter } from './layers/base/types.js';
import { EmbeddingLayer, type Embedding, type EmbeddingOptions } from './layers/embedding.js';
import {
  GatedFeedForwardLayer,
  PlainFeedForward,
  type FeedForward,
  type FeedForwardOptions,
  type GatedFeedForward,
  type GatedFeedForwardOptions,
} from './layers/feedForward.js';
import {
  LearnedPositionalEncodingLayer,
  type LearnedPositionalEncoding,
  type LearnedPositionalEncodingOptions,
} from './layers/learnedPositionalEncoding.js';
import { LinearLayer, type Linear, type LinearOptions } from './layers/linear.js';
import { MultiHeadAttentionLayer } from './layers/multiHeadAttention.js';
import {
  LayerNormLayer,
  RMSNormLayer,
  type LayerNorm,
  type LayerNormOptions,
  type RMSNorm,
  type RMSNormOptions,
} from './layers/norms.js';
import {
  PositionalEncodingLayer,
  type PositionalEncoding,
  type PositionalEncodingOptions,
} from './layers/positionalEncoding.js';
import {
  TransformerDecoderLayerClass,
  type TransformerDecoderLayer,
  type TransformerDecoderLayerOptions,
} from './layers/transformerDecoderLayer.js';
import {
  TransformerEncoderLayerClass,
  type TransformerEncoderLayer,
  type TransformerEncoderLayerOptions,
} from './layers/transformerEncoderLayer.js';
import type { MultiHeadAttention, MultiHeadAttentionOptions } from './layers/attention/types.js';
import type { Wasm } from './runtime/wasm.js';

/** The classes of a loaded module: layers, which own parameters, and an optimizer, which changes them. */
export interface LayerClasses {
  /** Adds the table of sines and cosines; `new attention.PositionalEncoding({ numHiddens: 32, dropout: 0.1 })`. */
  readonly PositionalEncoding: new (options: PositionalEncodingOptions) => PositionalEncoding;

  /** Adds a learned table; `new attention.LearnedPositionalEncoding({ numHiddens: 32, maxLen: 512 })`. */
  readonly LearnedPositionalEncoding: new (options: LearnedPositionalEncodingOptions) => LearnedPositionalEncoding;

  /** Multi-head attention; `new attention.MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5 })`. */
  readonly MultiHeadAttention: new (options: MultiHeadAttentionOptions) => MultiHeadAttention;

  /** x·weightᵀ + bias; `new attention.Linear({ inFeatures: 64, outFeatures: 10 })`. */
  readonly Linear: new (options: LinearOptions) => Linear;

  /** Normalises the last axes; `new attention.LayerNorm({ normalizedShape: 64 })`. */
  readonly LayerNorm: new (options: LayerNormOptions) => LayerNorm;

  /** Divides by the root mean square of the last axes; `new attention.RMSNorm({ normalizedShape: 64 })`. */
  readonly RMSNorm: new (options: RMSNormOptions) => RMSNorm;

  /** A learned vector for each id; `new attention.Embedding({ numEmbeddings: 1000, dim: 64 })`. */
  readonly Embedding: new (options: EmbeddingOptions) => Embedding;

  /**
   * Two linear maps with an activation between them; `new attention.FeedForward({ numHiddens: 64, ffnHiddens: 256 })`.
   */
  readonly FeedForward: new (options: FeedForwardOptions) => FeedForward;

  /**
   * A feed-forward network whose hidden units are gated; `new attention.GatedFeedForward({ numHiddens: 64, ffnHiddens:
   * 172 })`.
   */
  readonly GatedFeedForward: new (options: GatedFeedForwardOptions) => GatedFeedForward;

  /**
   * A layer of an encoder; `new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 })`.
   */
  readonly TransformerEncoderLayer: new (options: TransformerEncoderLayerOptions) => TransformerEncoderLayer;

  /**
   * A layer of a decoder; `new attention.TransformerDecoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 })`.
   */
  readonly TransformerDecoderLayer: new (options: TransformerDecoderLayerOptions) => TransformerDecoderLayer;

  /**
   * The optimizer; `new attention.Adam([...encoder.parameters(), ...head.parameters()], { lr: 1e-3, maxGradNorm: 1 })`.
   */
  readonly Adam: new (parameters: Iterable<Parameter>, options?: AdamOptions) => Adam;
}

/** Binds every class to a loaded module. */
export function layers(wasm: Wasm): LayerClasses {
  // Layers that mostly copy are faster in the module for one thread.
  const { unshared = wasm } = wasm;
  return {
    PositionalEncoding: classOf(unshared, PositionalEncodingLayer),
    LearnedPositionalEncoding: classOf(unshared, LearnedPositionalEncodingLayer),
    MultiHeadAttention: classOf(wasm, MultiHeadAttentionLayer),
    Linear: classOf(wasm, LinearLayer),
    LayerNorm: classOf(unshared, LayerNormLayer),
    RMSNorm: classOf(unshared, RMSNormLayer),
    Embedding: classOf(unshared, EmbeddingLayer),
    FeedForward: classOf(wasm, PlainFeedForward),
    GatedFeedForward: classOf(wasm, GatedFeedForwardLayer),
    TransformerEncoderLayer: classOf(wasm, TransformerEncoderLayerClass),
    TransformerDecoderLayer: classOf(wasm, TransformerDecoderLayerClass),
    Adam: classOf(wasm, AdamOptimizer),
  };
}
