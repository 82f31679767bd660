/** A small case of every layer, behind one interface, for tests of what all layers have in common. */
import type { Layer, Tensor, TensorLike } from 'wasm-attention';
import { attention } from './library.js';
import { Random } from './random.js';

export interface Pass {
  readonly output: Tensor;
  /** Only in training: returns the gradients of the inputs, by name. */
  readonly backward?: (gradOutput: TensorLike) => Record<string, Tensor>;
}

/** A layer, and its forward pass on a fixed input. */
export interface Subject {
  readonly layer: Omit<Layer, 'forward'>;
  readonly forward: (options?: { training: boolean }) => Pass;
}

export interface LayerCase {
  readonly title: string;
  /** The name that its errors begin with. */
  readonly operation: string;
  /** Makes a new layer, with the same parameters every time. */
  readonly make: () => Subject;
}

interface OneInput extends Omit<Layer, 'forward'> {
  forward(x: TensorLike, options?: { training?: boolean }): Pass;
}

const x = new Random(1).tensor([2, 3, 6]);
const memory = new Random(2).tensor([2, 4, 6]);
const ids = { data: Int32Array.of(4, 0, 2, 4, 1, 3), shape: [2, 3] };

const oneInput = (title: string, make: () => OneInput, input: TensorLike = x): LayerCase => ({
  title,
  operation: /^\w+/.exec(title)![0],
  make() {
    const layer = make();
    return { layer, forward: (options) => layer.forward(input, options) };
  },
});

function multiHead(title: string, options: object): LayerCase {
  const [keys, values] = [new Random(2).tensor([2, 4, 5]), new Random(3).tensor([2, 4, 7])];
  return {
    title,
    operation: 'MultiHeadAttention',
    make() {
      const sizes = { numHiddens: 6, numHeads: 3, keySize: 5, valueSize: 7, seed: 1 };
      const layer = new attention.MultiHeadAttention({ ...sizes, ...options });
      return {
        layer,
        forward(given) {
          const { output, backward } = layer.forward(x, keys, values, given);
          return { output, ...(backward && { backward: (g) => ({ ...backward(g) }) }) };
        },
      };
    },
  };
}

const encoder = { numHiddens: 6, numHeads: 2, ffnHiddens: 8, seed: 1 };

export const ALL_LAYERS: readonly LayerCase[] = [
  oneInput('Linear', () => new attention.Linear({ inFeatures: 6, outFeatures: 5, seed: 1 })),
  oneInput('Linear without bias', () => new attention.Linear({ inFeatures: 6, outFeatures: 6, bias: false, seed: 1 })),
  oneInput('LayerNorm', () => new attention.LayerNorm({ normalizedShape: [3, 6] })),
  oneInput('LayerNorm without parameters', () => new attention.LayerNorm({ normalizedShape: 6, affine: false })),
  oneInput('RMSNorm', () => new attention.RMSNorm({ normalizedShape: [3, 6] })),
  oneInput('Embedding', () => new attention.Embedding({ numEmbeddings: 5, dim: 6, seed: 1 }), ids),
  oneInput('FeedForward', () => new attention.FeedForward({ numHiddens: 6, ffnHiddens: 8, seed: 1 })),
  oneInput('GatedFeedForward', () => new attention.GatedFeedForward({ numHiddens: 6, ffnHiddens: 8, seed: 1 })),
  oneInput(
    'GatedFeedForward with bias',
    () => new attention.GatedFeedForward({ numHiddens: 6, ffnHiddens: 7, bias: true, seed: 1 }),
  ),
  oneInput(
    'LearnedPositionalEncoding',
    () => new attention.LearnedPositionalEncoding({ numHiddens: 6, maxLen: 4, seed: 1 }),
  ),
  oneInput('PositionalEncoding', () => new attention.PositionalEncoding({ numHiddens: 6, maxLen: 4 })),
  multiHead('MultiHeadAttention', { bias: true }),
  multiHead('MultiHeadAttention with one key/value head', { numKvHeads: 1 }),
  multiHead('MultiHeadAttention with wide and normed heads', { headDim: 3, qkNorm: true }),
  oneInput('TransformerEncoderLayer', () => new attention.TransformerEncoderLayer(encoder)),
  oneInput(
    'TransformerEncoderLayer, pre-norm, without bias',
    () => new attention.TransformerEncoderLayer({ ...encoder, norm: 'pre', bias: false }),
  ),
  oneInput(
    'TransformerEncoderLayer, gated, with RMS norms',
    () =>
      new attention.TransformerEncoderLayer({
        ...encoder,
        feedForward: 'gated',
        normType: 'rms',
        qkNorm: true,
      }),
  ),
  {
    title: 'TransformerDecoderLayer',
    operation: 'TransformerDecoderLayer',
    make() {
      const layer = new attention.TransformerDecoderLayer(encoder);
      return {
        layer,
        forward(given) {
          const { output, backward } = layer.forward(x, memory, given);
          const inputs = (g: TensorLike) => {
            const { input, memory } = backward!(g);
            return { input, memory };
          };
          return { output, ...(backward && { backward: inputs }) };
        },
      };
    },
  },
];
