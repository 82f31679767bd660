/** A model's parameters in wasm memory: matrices packed for products, everything else as it is in the file. */
import type { Matrix, Steps } from '../../steps/steps.js';
import type { Layout } from '../pass/layout.js';
import type { Place, Request } from '../pass/types.js';
import type { FrequenciesAt } from '../rotary.js';

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
  readonly queryNorm: NormWeights | undefined;
  readonly keyNorm: NormWeights | undefined;
}
export interface ModelWeights {
  /** Of matrices, as C++ calls it. */
  readonly weightType: number;
  /** (vocab, embedding); with `tokensPacked` it is a matrix, which may be the decoder's. */
  readonly tokens: number;
  readonly tokensPacked: boolean;
  readonly positions: number;
  readonly types: number;
  readonly embeddingNorm: NormWeights | undefined;
  readonly embeddingMap: Matrix | undefined;
  readonly layers: readonly LayerWeights[];
  readonly finalNorm: NormWeights | undefined;
  readonly pooler: Matrix | undefined;
  readonly predictions: Predictions | undefined;
  readonly classifier: Classifier | undefined;
  readonly frequenciesAt: FrequenciesAt;
}
/** The head that predicts tokens. */
export interface Predictions {
  readonly map: Matrix | undefined;
  readonly norm: NormWeights | undefined;
  readonly decoder: Matrix;
}
/** What a head needs to add its steps to a pass. */
export interface HeadPass {
  readonly request: Pick<Request, 'batch' | 'tokens' | 'lastOnly'>;
  readonly layout: Layout;
  readonly steps: Steps;
  /** All tokens. */
  readonly hidden: number;
  /** One row of each sequence: the first, or the last that is no padding. */
  readonly rowsOf: (which: 'first' | 'last') => number;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly pooled: Place | undefined;
}
/** A head that sorts sequences or tokens adds its steps to a pass, and says where its logits are. */
export type Classifier = (pass: HeadPass) => Place;
