/** Calls of all functions and steps of all layers, too large for the shared block, so that they allocate. */
import type { Layer, TensorLike, WasmAttention } from 'wasm-attention';
import { Random } from '../support/random.js';

export interface Step {
  readonly name: string;
  /** Makes what the step needs; its layers are disposed afterwards. */
  readonly prepare: (attention: WasmAttention) => Prepared;
}

export interface Prepared {
  /** The call whose allocations are refused. */
  readonly run: () => unknown;
  readonly layers: readonly (Pick<Layer, 'stateDict' | 'parameters'> & { dispose(): void })[];
  readonly dispose?: () => void;
}

const random = new Random(1);
/** 300 tokens of 64 numbers: 75 KB each. */
const x = random.tensor([1, 300, 64]);
const heads = random.tensor([1, 4, 300, 64]);
const g = random.tensor([1, 300, 64]);
/** 768 KB: more than the shared block. */
const long = random.tensor([1, 3000, 64]);
const square = random.tensor([64, 64]);

const table = random.tensor([300, 300]);
const kernel = random.tensor([64, 64, 3]);
const ones = (count: number) => Array<number>(count).fill(1);

const op = (name: string, call: (attention: WasmAttention) => unknown): Step => ({
  name,
  prepare: (attention) => ({ run: () => call(attention), layers: [] }),
});

const OPS: readonly Step[] = [
  op('maskedSoftmax', (a) => a.maskedSoftmax(table, [200])),
  op('scaledDotProductAttention', (a) =>
    a.scaledDotProductAttention(heads, heads, heads, {
      isCausal: true,
      needWeights: true,
      needScores: 'masked',
      needLogSumExp: true,
      pastKey: heads,
      pastValue: heads,
      bias: table,
    }),
  ),
  op('scaledDotProductAttentionBackward', (a) =>
    a.scaledDotProductAttentionBackward(heads, heads, heads, heads, { bias: table }),
  ),
  op('additiveAttention', (a) => a.additiveAttention(x, x, x, { Wq: square, Wk: square, wv: [ones(64)] })),
  op('additiveAttentionBackward', (a) =>
    a.additiveAttentionBackward(x, x, x, x, { Wq: square, Wk: square, wv: [ones(64)] }),
  ),
  op('sinusoidalEncoding', (a) => a.sinusoidalEncoding({ length: 3000, dim: 64 })),
  op('sinusoidalEncoding2d', (a) => a.sinusoidalEncoding2d({ height: 2, width: 2, dim: 2 ** 17 })),
  op('encodingRotation', (a) => a.encodingRotation({ delta: 3, dim: 2 ** 17 })),
  op('rotaryEmbedding', (a) => a.rotaryEmbedding(heads)),
  op('rotaryEmbeddingBackward', (a) => a.rotaryEmbeddingBackward(heads, { interleaved: true })),
  op('conv1d', (a) => a.conv1d({ data: heads.data, shape: [4, 64, 300] }, kernel, { padding: 1 })),
  op('rnn', (a) => a.rnn({ data: heads.data, shape: [4, 300, 64] }, { weightIh: square, weightHh: square })),
  op('matmul', (a) => a.matmul({ data: heads.data, shape: [4, 300, 64] }, square)),
  op('gelu', (a) => a.gelu(heads)),
  op('silu', (a) => a.silu(heads)),
  op('softmaxCrossEntropy', (a) => a.softmaxCrossEntropy({ data: heads.data, shape: [1200, 64] }, ones(1200))),
];

type Unary = Prepared['layers'][number] & {
  forward(x: TensorLike, options?: object): { backward?: (g: TensorLike) => object };
};

/** Making a layer, its forward pass, the same in training, its backward pass, its state and a step of Adam. */
function stepsOf(
  name: string,
  make: (attention: WasmAttention) => Unary,
  input: TensorLike = x,
  grad: TensorLike = g,
): Step[] {
  const training = { training: true };
  const step = (what: string, run: (layer: Unary, attention: WasmAttention) => () => unknown): Step => ({
    name: `${name}, ${what}`,
    prepare(attention) {
      const layer = make(attention);
      return { run: run(layer, attention), layers: [layer] };
    },
  });
  return [
    { name: `${name}, made`, prepare: (a) => ({ run: () => make(a).dispose(), layers: [] }) },
    step('forward', (layer) => () => layer.forward(input)),
    step('forward in training', (layer) => () => layer.forward(input, training)),
    step('backward', (layer) => {
      const { backward } = layer.forward(input, training);
      return () => backward!(grad);
    }),
    step('state', (layer) => () => layer.stateDict()),
    {
      name: `${name}, learning`,
      prepare(attention) {
        const layer = make(attention);
        layer.forward(input, training).backward!(grad);
        const adam = new attention.Adam(layer.parameters(), { maxGradNorm: 1 });
        return { run: () => adam.step(), layers: [layer], dispose: () => adam.dispose() };
      },
    },
  ];
}

const encoder = { numHiddens: 64, numHeads: 4, ffnHiddens: 300, seed: 1 };
const ids = { data: Int32Array.from({ length: 300 }, (_, i) => i), shape: [1, 300] };

const LAYERS: readonly Step[] = [
  ...stepsOf('Linear', (a) => new a.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 })),
  ...stepsOf('LayerNorm', (a) => new a.LayerNorm({ normalizedShape: [300, 64] })),
  ...stepsOf('Embedding', (a) => new a.Embedding({ numEmbeddings: 300, dim: 64, seed: 1 }), ids),
  ...stepsOf('FeedForward', (a) => new a.FeedForward({ numHiddens: 64, ffnHiddens: 300, seed: 1 })),
  ...stepsOf('RMSNorm', (a) => new a.RMSNorm({ normalizedShape: [300, 64] })),
  ...stepsOf(
    'GatedFeedForward',
    (a) => new a.GatedFeedForward({ numHiddens: 64, ffnHiddens: 300, bias: true, seed: 1 }),
  ),
  // It has no parameters.
  ...stepsOf('PositionalEncoding', (a) => new a.PositionalEncoding({ numHiddens: 64, maxLen: 20 }), long, long).filter(
    ({ name }) => !name.endsWith('learning'),
  ),
  ...stepsOf(
    'LearnedPositionalEncoding',
    (a) => new a.LearnedPositionalEncoding({ numHiddens: 64, maxLen: 300, seed: 1 }),
  ),
  ...stepsOf('TransformerEncoderLayer', (a) => new a.TransformerEncoderLayer(encoder)),
  ...stepsOf('TransformerDecoderLayer', (a) => {
    const layer = new a.TransformerDecoderLayer(encoder);
    const forward = (x: TensorLike, options?: object) => layer.forward(x, x, options);
    return {
      forward: forward,
      stateDict: () => layer.stateDict(),
      parameters: () => layer.parameters(),
      dispose: () => layer.dispose(),
    };
  }),
  ...stepsOf('MultiHeadAttention', (a) => {
    const layer = new a.MultiHeadAttention({ numHiddens: 64, numHeads: 4, bias: true, rotary: {}, seed: 1 });
    const forward = (q: TensorLike, options?: object) => layer.forward(q, q, q, options);
    return {
      forward: forward,
      stateDict: () => layer.stateDict(),
      parameters: () => layer.parameters(),
      dispose: () => layer.dispose(),
    };
  }),
  {
    name: 'MultiHeadAttention, a cache made and filled',
    prepare(a) {
      const layer = new a.MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1 });
      const run = () => {
        const cache = layer.createCache({ batch: 1, maxLength: 300 });
        try {
          layer.forward(x, x, x, { cache });
        } finally {
          cache.dispose();
        }
      };
      return { run, layers: [layer] };
    },
  },
];

export const STEPS: readonly Step[] = [...OPS, ...LAYERS];
