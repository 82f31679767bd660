/** Addresses of a model's parameters, 0 for those that it lacks. Matrices are packed for products. */
import type { Matrix } from '../../steps/steps.js';
import type { Head, Reading } from '../config/architecture.js';
import type { Grid } from '../pictures/grid.js';
import type { FrequenciesAt } from '../rotary.js';

export interface NormWeights {
  readonly weight: number;
  readonly bias: number;
  /** How many weights there are, which rows use in turn. */
  readonly weights: number;
}
export interface LayerWeights {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly output: Matrix;
  readonly norm1: NormWeights | undefined;
  readonly norm2: NormWeights | undefined;
  readonly outputNorm: NormWeights | undefined;
  readonly downNorm: NormWeights | undefined;
  /** Gates and then values, if the feed-forward is gated. */
  readonly up: Matrix;
  readonly down: Matrix;
  readonly queryNorm: NormWeights | undefined;
  readonly keyNorm: NormWeights | undefined;
  /** Maps of vectors of distances; `distances` has the results. */
  readonly relativeKey: Matrix | undefined;
  readonly relativeQuery: Matrix | undefined;
  /** (heads) */
  readonly sinks: number;
}
/** A layer that pools, and its query, (hiddens). */
export interface AttentionPooler extends LayerWeights {
  readonly probe: number;
}
export interface PictureWeights {
  readonly patches: Matrix;
  /** The address of each tensor of tokens, and how many it has. */
  readonly specials: readonly { readonly address: number; readonly count: number }[];
}
export interface ModelWeights {
  /** The type of matrices, as its number in C++. */
  readonly weightType: number;
  /** (vocab, embedding); with `tokensPacked` it is a matrix, which may be the decoder's. */
  readonly tokens: number;
  readonly tokensPacked: boolean;
  /** How the table of tokens is stored. */
  readonly tokensType: number;
  readonly positions: number;
  readonly types: number;
  readonly embeddingNorm: NormWeights | undefined;
  readonly embeddingMap: Matrix | undefined;
  readonly outputMap: Matrix | undefined;
  /** (rows, heads) */
  readonly relativeBias: number;
  /** (rows, hiddens) */
  readonly relativeVectors: number;
  readonly relativeNorm: NormWeights | undefined;
  /** (heads) */
  readonly alibiSlopes: number;
  readonly layers: readonly LayerWeights[];
  readonly finalNorm: NormWeights | undefined;
  readonly pooler: Matrix | undefined;
  readonly poolerNorm: NormWeights | undefined;
  readonly attentionPooler: AttentionPooler | undefined;
  readonly projection: Matrix | undefined;
  readonly pictures: PictureWeights | undefined;
  /** Addresses of numbers. */
  readonly logitScale: number;
  readonly logitBias: number;
  readonly head: HeadWeights | undefined;
  readonly frequenciesAt: FrequenciesAt;
  /** The table of positions for a picture, (tokens, hiddens). */
  readonly tableFor: (grid: Grid) => Float32Array;
  /** Each layer's keys and queries of distances: (rows, heads·width). */
  readonly distances: readonly DistanceVectors[];
}
export interface DistanceVectors {
  readonly keys: number;
  readonly queries: number;
}
export interface HeadWeights extends Pick<Head, 'reads' | 'activation' | 'scale' | 'softcap'> {
  readonly map: Matrix | undefined;
  readonly norm: NormWeights | undefined;
  readonly decoder: Matrix;
  /** Another reading, whose logits are added. */
  readonly also: { readonly reads: Reading; readonly decoder: Matrix } | undefined;
  /** Whether logits are of tokens, not of classes. */
  readonly predictsTokens: boolean;
  /** Whether the decoder is the embedding. */
  readonly isTied: boolean;
  /** Whether there is a single logit, without an axis. */
  readonly isScalar: boolean;
  /** The names of classes. */
  readonly labels: readonly string[] | undefined;
}
