import { describe, expect, test } from '@jest/globals';
import type { BackwardOptions, ForwardOptions, LayerResult, Tensor, TensorLike } from 'wasm-attention';
import { float16, halfOf } from '../reference/weightTypes.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections } from '../support/rejections.js';

const [batch, length, width] = [2, 5, 8];
const random = new Random(7);
const x = random.tensor([batch, length, width]);
const ids = {
  data: Int32Array.from({ length: batch * length }, (_, i) => (3 * i) % 7),
  shape: [batch, length],
};

/** The interface that these layers share. */
interface Trained {
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const LAYERS: [name: string, make: () => Trained, x: TensorLike][] = [
  ['Linear', () => new attention.Linear({ inFeatures: width, outFeatures: width, seed: 1 }), x],
  ['LayerNorm', () => new attention.LayerNorm({ normalizedShape: width }), x],
  ['FeedForward', () => new attention.FeedForward({ numHiddens: width, ffnHiddens: 12, seed: 1 }), x],
  ['RMSNorm', () => new attention.RMSNorm({ normalizedShape: width }), x],
  ['GatedFeedForward', () => new attention.GatedFeedForward({ numHiddens: width, ffnHiddens: 12, seed: 1 }), x],
  ['Embedding', () => new attention.Embedding({ numEmbeddings: 7, dim: width, seed: 1 }), ids],
  ['PositionalEncoding', () => new attention.PositionalEncoding({ numHiddens: width, maxLen: length }), x],
  [
    'LearnedPositionalEncoding',
    () => new attention.LearnedPositionalEncoding({ numHiddens: width, maxLen: length, seed: 1 }),
    x,
  ],
  [
    'TransformerEncoderLayer',
    () => new attention.TransformerEncoderLayer({ numHiddens: width, numHeads: 2, ffnHiddens: 12, seed: 1 }),
    x,
  ],
];

/** Runs both passes. `copy` is the output before the backward pass, which may overwrite it. */
function passes(layer: Trained, input: TensorLike, G: Tensor, out?: ForwardOptions['out'], back?: BackwardOptions) {
  const { output, backward } = layer.forward(input, { training: true, ...(out && { out }) });
  const copy = { data: output.data.slice(), shape: output.shape };
  return { output, copy, input: backward!(G, back).input };
}

describe('given arrays for results,', () => {
  test.each(LAYERS)('%s writes the same into them as into new ones', (_, make, input) => {
    const G = random.tensor([batch, length, width]);
    const fresh = passes(make(), input, G);
    const output = new Float32Array(fresh.output.data.length);
    const gradient = new Float32Array(fresh.input.data.length);
    const given = passes(make(), input, G, { output }, { out: { input: gradient } });
    expect(given.output.data).toBe(output);
    expect(given.output.shape).toEqual(fresh.output.shape);
    expect(given.copy.data).toEqual(fresh.copy.data);
    expect(given.input.data).toBe(gradient);
    expect(given.input.shape).toEqual(fresh.input.shape);
    expect(gradient).toEqual(fresh.input.data);
  });

  test.each(LAYERS)(
    '%s rounds them to float16 for a Uint16Array, and its gradients stay as they are',
    (_, make, input) => {
      const G = random.tensor([batch, length, width]);
      const fresh = passes(make(), input, G);
      const [output, gradient] = [fresh.output, fresh.input].map(({ data }) => new Uint16Array(data.length));
      const given = passes(make(), input, G, { output: output! }, { out: { input: gradient! } });
      expect(given.output.data).toBe(output);
      expect(given.input.data).toBe(gradient);
      expect(Float32Array.from(output!, halfOf)).toEqual(fresh.copy.data.map(float16));
      expect(Float32Array.from(gradient!, halfOf)).toEqual(fresh.input.data.map(float16));
    },
  );

  test.each(LAYERS.filter(([name]) => name !== 'Embedding'))(
    '%s may overwrite the arrays of its arguments',
    (_, make, input) => {
      const G = random.tensor([batch, length, width]);
      const fresh = passes(make(), input, G);
      const data = (input as Tensor).data.slice();
      const gradient = G.data.slice();
      const given = passes(
        make(),
        { data, shape: x.shape },
        { data: gradient, shape: G.shape },
        { output: data },
        { out: { input: gradient } },
      );
      expect(given.copy.data).toEqual(fresh.copy.data);
      expect(given.input.data).toEqual(fresh.input.data);
    },
  );

  test('the loss writes its gradient into an array, even that of the logits', () => {
    const logits = random.tensor([4, 3]);
    const targets = [0, 2, 1, 1];
    const { loss, gradLogits } = attention.softmaxCrossEntropy(logits, targets);
    const data = logits.data.slice();
    const result = attention.softmaxCrossEntropy({ data, shape: [4, 3] }, targets, {
      out: { gradLogits: data },
    });
    expect(result.loss).toBe(loss);
    expect(result.gradLogits.data).toBe(data);
    expect(data).toEqual(gradLogits.data);
  });

  const short = new Float32Array(3);
  for (const [name, make, input] of LAYERS) {
    testRejections(
      name,
      [
        ['an output too short', 'RangeError', () => make().forward(input, { out: { output: short } })],
        ['an output of another kind', 'TypeError', () => make().forward(input, { out: { output: [1] as never } })],
        ['a gradient too short', 'RangeError', () => passes(make(), input, x, undefined, { out: { input: short } })],
      ],
      () => passes(make(), input, x),
    );
  }
  testRejections(
    'softmaxCrossEntropy',
    [
      [
        'a gradient too short',
        'RangeError',
        () => attention.softmaxCrossEntropy([[1, 2]], [0], { out: { gradLogits: short } }),
      ],
    ],
    () => expect(attention.softmaxCrossEntropy([[1, 1]], [0]).loss).toBeCloseTo(Math.LN2, 6),
  );
});
