/** A small case of every layer, behind one interface, for tests of what all layers have in common. */
import type { Layer, Tensor, TensorLike } from 'wasm-attention';
import { attention } from './library.js';
import { Random } from './random.js';

export interface Pass {
  readonly output: Tensor;
  /** Only in training: returns the gradients of the inputs, by name and in their order. */
  readonly backward?: (gradOutput: TensorLike) => Record<string, Tensor>;
}

/** A layer, and its forward pass, on the case's inputs unless others are given. */
export interface Subject {
  readonly layer: Omit<Layer, 'forward'>;
  readonly forward: (options?: { training: boolean }, inputs?: readonly TensorLike[]) => Pass;
}

export interface LayerCase {
  readonly title: string;
  /** The name that its errors begin with. */
  readonly operation: string;
  readonly inputs: readonly { data: Float32Array | Int32Array; shape: readonly number[] }[];
  /** Whether a seed decides the initial values. */
  readonly seeded: boolean;
  /** Makes a new layer, with the same parameters every time unless it is given another seed or none. */
  readonly make: (options?: { seed?: number }) => Subject;
}

interface AnyLayer extends Omit<Layer, 'forward'> {
  forward(...inputsAndOptions: never[]): unknown;
}

const [x, memory] = [new Random(1).tensor([2, 3, 6]), new Random(2).tensor([2, 4, 6])];
const [keys, values] = [new Random(2).tensor([2, 4, 5]), new Random(3).tensor([2, 4, 7])];
const ids = { data: Int32Array.of(4, 0, 2, 4, 1, 3), shape: [2, 3] };

const seeded = (
  title: string,
  makeLayer: (options: { seed?: number }) => AnyLayer,
  inputs: LayerCase['inputs'] = [x],
): LayerCase => ({
  title,
  operation: /^\w+/.exec(title)![0],
  inputs,
  seeded: true,
  make(options = { seed: 1 }) {
    const layer = makeLayer(options);
    return { layer, forward: (given, own = inputs) => layer.forward(...([...own, given] as never[])) as Pass };
  },
});

const unseeded = (title: string, makeLayer: () => AnyLayer): LayerCase => ({
  ...seeded(title, makeLayer),
  seeded: false,
});

const multiHead = (title: string, options: object): LayerCase => {
  const sizes = { numHiddens: 6, numHeads: 3, keySize: 5, valueSize: 7, ...options };
  return seeded(title, (seed) => new attention.MultiHeadAttention({ ...sizes, ...seed }), [x, keys, values]);
};

const block = { numHiddens: 6, numHeads: 2, ffnHiddens: 8 };
const encoder = (title: string, options: object): LayerCase =>
  seeded(title, (seed) => new attention.TransformerEncoderLayer({ ...block, ...options, ...seed }));

export const ALL_LAYERS: readonly LayerCase[] = [
  seeded('Linear', (seed) => new attention.Linear({ inFeatures: 6, outFeatures: 5, ...seed })),
  seeded(
    'Linear without bias',
    (seed) => new attention.Linear({ inFeatures: 6, outFeatures: 6, bias: false, ...seed }),
  ),
  unseeded('LayerNorm', () => new attention.LayerNorm({ normalizedShape: [3, 6] })),
  unseeded('LayerNorm without parameters', () => new attention.LayerNorm({ normalizedShape: 6, affine: false })),
  unseeded('RMSNorm', () => new attention.RMSNorm({ normalizedShape: [3, 6] })),
  seeded('Embedding', (seed) => new attention.Embedding({ numEmbeddings: 5, dim: 6, ...seed }), [ids]),
  seeded('FeedForward', (seed) => new attention.FeedForward({ numHiddens: 6, ffnHiddens: 8, ...seed })),
  seeded('GatedFeedForward', (seed) => new attention.GatedFeedForward({ numHiddens: 6, ffnHiddens: 8, ...seed })),
  seeded(
    'GatedFeedForward with bias',
    (seed) => new attention.GatedFeedForward({ numHiddens: 6, ffnHiddens: 7, bias: true, ...seed }),
  ),
  seeded(
    'LearnedPositionalEncoding',
    (seed) => new attention.LearnedPositionalEncoding({ numHiddens: 6, maxLen: 4, ...seed }),
  ),
  unseeded('PositionalEncoding', () => new attention.PositionalEncoding({ numHiddens: 6, maxLen: 4 })),
  multiHead('MultiHeadAttention', { bias: true }),
  multiHead('MultiHeadAttention with one key/value head', { numKvHeads: 1 }),
  multiHead('MultiHeadAttention with wide and normed heads', { headDim: 3, qkNorm: true }),
  encoder('TransformerEncoderLayer', {}),
  encoder('TransformerEncoderLayer, pre-norm, without bias', { norm: 'pre', bias: false }),
  encoder('TransformerEncoderLayer, gated, with RMS norms', { feedForward: 'gated', normType: 'rms', qkNorm: true }),
  seeded('TransformerDecoderLayer', (seed) => new attention.TransformerDecoderLayer({ ...block, ...seed }), [
    x,
    memory,
  ]),
];

/** The layers that have parameters. */
export const LAYERS_WITH_PARAMETERS = ALL_LAYERS.filter(({ make }) => make().layer.parameters().length > 0);
