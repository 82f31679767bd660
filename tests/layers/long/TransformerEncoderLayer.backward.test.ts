/**
 * The gradients of TransformerEncoderLayer: with options, with dropout, for large batches and for overlapping passes.
 */
import { describe, expect, test } from '@jest/globals';
import type { Tensor, TransformerEncoderLayerOptions } from 'wasm-attention';
import type { ActivationName } from '../../reference/feedForward.js';
import { transformerEncoderLayer } from '../../reference/transformerEncoderLayer.js';
import { expectBinomial } from '../../support/chance.js';
import { EPS, expectClose, maxAbs, type Numbers } from '../../support/close.js';
import { dot, expectGradient } from '../../support/differences.js';
import { dropoutFactor } from '../../support/dropout.js';
import { attention, heapBytes } from '../../support/library.js';
import { Random } from '../../support/random.js';

const NAME = 'TransformerEncoderLayer';
const random = new Random(1);
const [x, g] = [random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];
const make = (options: Partial<TransformerEncoderLayerOptions> = {}) =>
  new attention.TransformerEncoderLayer({ numHiddens: 12, numHeads: 3, ffnHiddens: 20, seed: 3, ...options });

type Layer = ReturnType<typeof make>;
const train = (layer: Layer, options: object = {}) => layer.forward(x, { training: true, ...options });
const grads = (layer: Layer) => layer.parameters().map(({ grad }) => grad);

describe(NAME, () => {
  test.each<[string, Partial<TransformerEncoderLayerOptions>]>([
    ['rotary positions', { rotary: {}, activation: 'gelu' }],
    ['no bias', { bias: false, activation: 'gelu' }],
  ])('has an input gradient that agrees with differences, with %s', (_name, options) => {
    const layer = make(options);
    const { backward } = train(layer, { seed: 5 });
    const { input } = backward!(g);
    const direction = random.tensor([2, 5, 12]);
    /** sum(output·g) for the input moved along the direction. */
    const loss = (by: number) => {
      const data = x.data.map((value, i) => value + by * direction.data[i]!);
      return dot(layer.forward({ data, shape: x.shape }, { training: true, seed: 5 }).output.data, g.data);
    };
    const slope = (loss(1e-2) - loss(-1e-2)) / 2e-2;
    // The differences of float32 results are off by third derivatives times step² = 1e-4, and by roundings of 120
    // outputs over 1e-2.
    expect(Math.abs(slope - dot(input.data, direction.data))).toBeLessThan(5e-3 * (5 + Math.abs(slope)));
  });
});

/** The pass's seed, combined with these, gives the library's seed of each of the four places. */
const STREAMS = { weights: 0, attended: 0x85ebca6b, hidden: 0x27d4eb2f, fed: 0xc2b2ae35 };
type Place = keyof typeof STREAMS;
const PLACES = Object.keys(STREAMS) as Place[];

describe(`${NAME} with dropout`, () => {
  const SEED = 5;
  const P = 0.3;
  const factorOf = (place: Place) => (row: number, index: number) =>
    dropoutFactor((SEED ^ STREAMS[place]) >>> 0, P, row, index);
  const dropout = Object.fromEntries(PLACES.map((place) => [place, factorOf(place)])) as Record<
    Place,
    (row: number, index: number) => number
  >;

  test.each<[string, 'pre' | 'post', ActivationName]>([
    ['pre-norm', 'pre', 'gelu'],
    ['post-norm', 'post', 'gelu-tanh'],
  ])('agrees with float64, and so do its gradients, with dropout at all four places: %s', (_name, norm, activation) => {
    const layer = make({ norm, activation, dropout: P });
    const state = layer.stateDict();
    const options = { numHeads: 3, norm, activation, dropout };
    const { output, backward } = train(layer, { seed: SEED });
    const expected = transformerEncoderLayer(x, state, options);
    // Eight sums of up to 36 products, one after the other; each product may add a rounding of EPS/2, which two norms
    // may double.
    expectClose(output, expected, { atol: 8 * 36 * EPS * maxAbs(expected.data) });
    const { input } = backward!(g);
    const loss = (at: Numbers, changed: Readonly<Record<string, Numbers>>) =>
      dot(transformerEncoderLayer(at, { ...state, ...changed }, options).data, g.data);
    // Four times the output's error: gradients go through twice as many sums, and are summed over ten tokens.
    const rtol = 8 * 36 * 4 * EPS;
    expectGradient(input, x, (at) => loss(at, {}), rtol);
    for (const { name, grad, shape } of layer.parameters()) {
      expectGradient({ data: grad, shape }, state[name]!, (at) => loss(x, { [name]: at }), rtol);
    }
  });

  // The layer takes up to 256 tokens at a time through all of its steps.
  test.each([
    [9, 40],
    [3, 300],
    [1, 255],
    [1, 256],
    [1, 257],
  ])('agrees with float64 for %i sequences of %i tokens', (batch, length) => {
    const long = random.tensor([batch, length, 12]);
    const layer = make({ norm: 'post', activation: 'gelu', dropout: P });
    const options = { numHeads: 3, norm: 'post', activation: 'gelu', dropout } as const;
    const { output } = layer.forward(long, { training: true, seed: SEED });
    const expected = transformerEncoderLayer(long, layer.stateDict(), options);
    expectClose(output, expected, { atol: 8 * (length + 36) * EPS * maxAbs(expected.data) });
  });

  test.each(PLACES)('drops as many elements as the probability predicts: %s', (place) => {
    const dropped = Array.from({ length: 10 * 12 }, (_, at) => dropout[place](Math.floor(at / 12), at % 12));
    expectBinomial(dropped.filter((factor) => factor === 0).length, dropped.length, P);
  });

  test('drops different elements in each training pass, and the same ones for the same seed', () => {
    const [layer, twin] = [make({ dropout: 0.5 }), make({ dropout: 0.5 })];
    const first = train(layer).output;
    expect(train(layer).output).not.toEqual(first);
    expect(train(twin).output).toEqual(first);
    expect(train(layer, { dropout: 0 }).output).toEqual(layer.forward(x).output);
  });
});

test.each<[number, number, 'pre' | 'post']>([
  [9, 40, 'post'],
  [3, 300, 'pre'],
])(
  `${NAME} has the same gradients for %i sequences of %i tokens as for one after the other, %s-norm`,
  (batch, length, norm) => {
    const size = length * 12;
    const [long, grad] = [random.tensor([batch, length, 12]), random.tensor([batch, length, 12])];
    const part = ({ data }: Tensor, b: number): Tensor => ({
      data: data.subarray(b * size, (b + 1) * size),
      shape: [1, length, 12],
    });
    const [together, apart] = [make({ norm }), make({ norm })];
    const { input } = together.forward(long, { training: true }).backward!(grad);
    for (let b = 0; b < batch; ++b) {
      const { input: own } = apart.forward(part(long, b), { training: true }).backward!(part(grad, b));
      // The same sums over the tokens of one sequence, but tiles may begin at other tokens.
      const tolerance = 8 * (length + 36) * EPS * maxAbs(own.data);
      expectClose(part(input, b), own, { atol: tolerance });
    }
    grads(together).forEach((all, p) => {
      const sums = grads(apart)[p]!;
      // The same sums over all tokens, in another order.
      const tolerance = 8 * Math.sqrt(batch * length) * EPS * Math.max(1, maxAbs(sums)) * 8;
      const shape = [sums.length];
      expectClose({ data: all, shape }, { data: sums, shape }, { atol: tolerance });
    });
  },
);

describe(`${NAME} with overlapping passes`, () => {
  const inputs = [random.tensor([2, 5, 12]), random.tensor([3, 7, 12]), random.tensor([1, 2, 12])];
  const passOf = (layer: Layer, input: Tensor) => layer.forward(input, { training: true });
  /** The gradients of the input and the parameters if there is only this pass. */
  const alone = inputs.map((input) => {
    const layer = make();
    const back = passOf(layer, input).backward!(input);
    return { back, grads: grads(layer) };
  });

  test.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]], [[2, 0, 1]]])(
    'has the right gradients if backward is called in the order %j',
    (order) => {
      const layer = make();
      const passes = inputs.map((input) => passOf(layer, input));
      layer.forward(inputs[0]!);
      for (const i of order) expect(passes[i]!.backward!(inputs[i]!)).toEqual(alone[i]!.back);
      grads(layer).forEach((grad, p) => {
        const shape = [grad.length];
        const sums = Array.from(grad, (_, i) => alone.reduce((total, { grads }) => total + grads[p]![i]!, 0));
        // The sums of three gradients, in another order.
        expectClose({ data: grad, shape }, { data: sums, shape }, { atol: 1e-5, rtol: 1e-5 });
      });
    },
  );

  test('does not grow the heap if backward is never called', () => {
    const layer = make();
    const pass = () => passOf(layer, inputs[1]!);
    for (let i = 0; i < 5; ++i) pass();
    const bytes = heapBytes();
    const passes = Array.from({ length: 1000 }, pass);
    expect(heapBytes()).toBe(bytes);
    // Even the oldest pass can still go back.
    expect(passes[0]!.backward!(inputs[1]!)).toEqual(alone[1]!.back);
    expect(passes[999]!.backward!(inputs[1]!)).toEqual(alone[1]!.back);
  });
});
