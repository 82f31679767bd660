/** A model's parameters in wasm memory: matrices packed for products, everything else as it is in the file. */
import type { FrequenciesAt } from '../rotary.js';

/** A linear map. */
export interface Matrix {
  readonly packed: number;
  /** 0 for none. */
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
}
export interface NormWeights {
  readonly weight: number;
  readonly bias: number;
}
export interface LayerWeights {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly output: Matrix;
  readonly norm1: NormWeights;
  readonly norm2: NormWeights;
  /** Gates and then values, where the feed-forward is gated. */
  readonly up: Matrix;
  readonly down: Matrix;
  readonly queryNorm?: number;
  readonly keyNorm?: number;
}
export interface ModelWeights {
  /** Of matrices, as C++ calls it. */
  readonly weightType: number;
  /** (vocab, embedding); with `tokensPacked` it is a matrix, which may be the decoder's. */
  readonly tokens: number;
  readonly tokensPacked: boolean;
  readonly positions: number;
  readonly types: number;
  readonly embeddingNorm?: NormWeights;
  readonly embeddingMap?: Matrix;
  readonly layers: readonly LayerWeights[];
  readonly finalNorm?: NormWeights;
  readonly pooler?: Matrix;
  readonly predictions?: { readonly map?: Matrix; readonly norm?: NormWeights; readonly decoder: Matrix };
  readonly classifier?: Classifier;
  readonly frequenciesAt: FrequenciesAt;
}
/** A head that sorts sequences, or with `each` every token. */
export interface Classifier {
  readonly map?: Matrix;
  readonly activation: 'tanh' | 'relu' | 'none';
  readonly decoder: Matrix;
  /** What it reads: the pooled first token, the first or the last token, or each one. */
  readonly reads: 'pooled' | 'first' | 'last' | 'each';
}
