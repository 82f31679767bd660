/**
 * Layers with matrices in float16 or int8. They give the same bits with and without relaxed SIMD and on any number of
 * threads: `npm run test:relaxed` and `npm run test:threads` run this file too. FUZZ_CASES sets the number of products.
 */
import { describe, expect, test } from '@jest/globals';
import type { MatrixType, Tensor } from 'wasm-attention';
import { float16, int8, int8Linear, int8Table } from '../reference/weightTypes.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';

const CASES = Number(process.env.FUZZ_CASES ?? 1000);
const TYPES = ['float16', 'int8', 'int8-fine'] as const;
type Small = (typeof TYPES)[number];

const bits = (x: Float32Array): Uint32Array => new Uint32Array(x.slice().buffer);

function expectBits(found: Float32Array, expected: Float32Array, what = ''): void {
  const [a, b] = [bits(found), bits(expected)];
  const at = a.findIndex((value, i) => value !== b[i]);
  if (a.length !== b.length || at >= 0) throw new Error(`${what} expected ${expected[at]} at ${at}, got ${found[at]}`);
}

function linear(weightType: MatrixType | undefined, weight: Tensor, bias?: Tensor) {
  const [outFeatures, inFeatures] = weight.shape as [number, number];
  const layer = new attention.Linear({
    inFeatures,
    outFeatures,
    bias: bias !== undefined,
    weightType,
    seed: 1,
  });
  layer.loadStateDict({ weight, ...(bias && { bias }) });
  return layer;
}

const halved = ({ data, shape }: Tensor): Tensor => ({ data: data.map(float16), shape });

/** Rounds the matrices of a state dict. */
function roundedState(name: string, state: Record<string, Tensor>, weightType: Small): Record<string, Tensor> {
  const round = (matrix: Tensor): Tensor => {
    if (weightType === 'float16') return halved(matrix);
    return name === 'Embedding' ? int8Table(matrix) : int8(matrix, weightType);
  };
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name, value.shape.length === 2 ? round(value) : value]),
  );
}

/** Layers with matrices of odd sizes, and their outputs for seeded inputs. */
const LAYERS: Record<string, (weightType?: MatrixType) => { layer: Stateful; run(): Float32Array }> = {
  Linear(weightType) {
    const layer = new attention.Linear({ inFeatures: 145, outFeatures: 19, seed: 3, weightType });
    return { layer, run: () => layer.forward(new Random(1).tensor([2, 3, 145])).output.data };
  },
  FeedForward(weightType) {
    const layer = new attention.FeedForward({
      numHiddens: 20,
      ffnHiddens: 45,
      activation: 'gelu',
      seed: 3,
      weightType,
    });
    return { layer, run: () => layer.forward(new Random(1).tensor([7, 20])).output.data };
  },
  GatedFeedForward(weightType) {
    // Values begin in the middle of a panel.
    const layer = new attention.GatedFeedForward({
      numHiddens: 20,
      ffnHiddens: 13,
      bias: true,
      seed: 3,
      weightType,
    });
    return { layer, run: () => layer.forward(new Random(1).tensor([7, 20])).output.data };
  },
  MultiHeadAttention(weightType) {
    const layer = new attention.MultiHeadAttention({
      numHiddens: 24,
      numHeads: 3,
      bias: true,
      seed: 3,
      weightType,
    });
    const x = new Random(1).tensor([2, 5, 24]);
    return { layer, run: () => layer.forward(x, x, x).output.data };
  },
  Embedding(weightType) {
    const layer = new attention.Embedding({ numEmbeddings: 21, dim: 45, seed: 3, weightType });
    return { layer, run: () => layer.forward([[0, 20, 7, 7, 13]]).output.data };
  },
};
type Stateful = InstanceType<typeof attention.Linear>['stateDict'] extends () => infer S
  ? {
      stateDict(): S;
      loadStateDict(state: S): void;
      parameters(): { set(data: ArrayLike<number>): void }[];
      dispose(): void;
    }
  : never;

describe.each(['int8', 'int8-fine'] as const)('%s', (weightType) => {
  test(`gives the same bits as plain integer loops in ${CASES} products`, () => {
    const random = new Random(23);
    for (let i = 0; i < CASES; ++i) {
      const extent = (most: number): number => random.integer(1, most);
      const [rows, inputs, outputs] = [extent(6), extent(i % 4 === 0 ? 400 : 40), extent(i % 16 === 1 ? 150 : 20)];
      const size = 10 ** random.integer(-6, 6);
      const x = random.tensor([rows, inputs], size);
      const weight = random.tensor([outputs, inputs], 1 / size);
      // In some products, numbers of inputs and columns of weights are much larger or smaller than the others.
      if (i % 3 > 0) for (let n = 0; n < inputs / 10; ++n) x.data[random.integer(0, x.data.length - 1)]! *= 300;
      if (i % 5 > 2) {
        const [column, times] = [random.integer(0, inputs - 1), 10 ** random.integer(-4, 4)];
        for (let at = column; at < weight.data.length; at += inputs) weight.data[at]! *= times;
      }
      const bias = i % 2 === 0 ? random.tensor([outputs]) : undefined;
      const layer = linear(weightType, weight, bias);
      expectBits(layer.forward(x).output.data, int8Linear(weightType, x, weight, bias), `${rows}x${inputs}x${outputs}`);
      layer.dispose();
    }
  });

  test('gives the same bits for a row alone and among others, and on several threads', () => {
    const random = new Random(5);
    const [x, weight] = [random.tensor([70, 300]), random.tensor([130, 300])];
    const layer = linear(weightType, weight);
    const { data } = layer.forward(x).output;
    expectBits(data, int8Linear(weightType, x, weight));
    for (let i = 0; i < 70; ++i) {
      const row = { data: x.data.slice(300 * i, 300 * (i + 1)), shape: [1, 300] };
      expectBits(layer.forward(row).output.data, data.slice(130 * i, 130 * (i + 1)));
    }
    layer.dispose();
  });

  test('gives zeros for rows of zeros, and NaN for rows that are not finite', () => {
    const layer = linear(weightType, new Random(1).tensor([3, 40]));
    const x = new Float32Array(3 * 40);
    x[40] = NaN;
    x[80] = Infinity;
    const { data } = layer.forward({ data: x, shape: [3, 40] }).output;
    expect([...data]).toEqual([0, 0, 0, NaN, NaN, NaN, NaN, NaN, NaN]);
    layer.dispose();
  });
});

describe('float16', () => {
  test('gives the same bits as float32 with rounded weights', () => {
    const random = new Random(7);
    for (const [rows, inputs, outputs] of [
      [1, 1, 1],
      [1, 45, 19],
      [6, 400, 33],
      [40, 50, 16],
    ] as const) {
      for (const size of [1, 1e-5, 1e4]) {
        const x = random.tensor([rows, inputs]);
        const weight = random.tensor([outputs, inputs], size);
        const small = linear('float16', weight);
        const large = linear('float32', halved(weight));
        expectBits(small.forward(x).output.data, large.forward(x).output.data, `${rows}x${inputs}x${outputs}, ${size}`);
        small.dispose();
        large.dispose();
      }
    }
  });

  test('keeps every float16, including subnormal and infinite ones', () => {
    const numbers = Float32Array.from({ length: 0x7c00 }, (_, half) => {
      const [exponent, digits] = [half >> 10, half & 1023];
      return exponent === 0 ? digits * 2 ** -24 : (1024 + digits) * 2 ** (exponent - 25);
    });
    const data = new Float32Array([...numbers, ...numbers.map((x) => -x), Infinity, -Infinity]);
    const layer = new attention.Embedding({
      numEmbeddings: data.length,
      dim: 1,
      weightType: 'float16',
      seed: 1,
    });
    layer.loadStateDict({ weight: { data, shape: [data.length, 1] } });
    expectBits(layer.forward(Array.from(data, (_, i) => i)).output.data, data);
    layer.dispose();
    for (const rows of [1, 5]) {
      const product = linear('float16', { data: Float32Array.of(1, Infinity, 2, 3), shape: [2, 2] });
      const x = { data: new Float32Array(2 * rows).fill(1), shape: [rows, 2] };
      expect([...product.forward(x).output.data.slice(0, 2)]).toEqual([Infinity, 5]);
      product.dispose();
    }
  });
});

describe.each(TYPES)('%s', (weightType) => {
  test.each(Object.keys(LAYERS))('is what %s holds, and its state dict returns', (name) => {
    const plain = LAYERS[name]!('float32');
    const small = LAYERS[name]!(weightType);
    const state = plain.layer.stateDict();
    small.layer.loadStateDict(state);
    const expected = roundedState(name, state, weightType);
    const found = small.layer.stateDict();
    expect(Object.keys(found)).toEqual(Object.keys(expected));
    for (const key of Object.keys(found)) expectBits(found[key]!.data, expected[key]!.data, key);
    plain.layer.loadStateDict(expected);
    const [a, b] = [small.run(), plain.run()];
    if (weightType === 'float16' || name === 'Embedding') {
      expectBits(a, b);
    } else {
      // The inputs of each product are rounded, too: by up to half of 1/127 of a row's largest magnitude, or of 1/32767.
      const error = Math.hypot(...a.map((value, i) => value - b[i]!)) / Math.hypot(...b);
      expect(error).toBeGreaterThan(0);
      expect(error).toBeLessThan(weightType === 'int8' ? 0.03 : 0.0005);
    }
    small.layer.dispose();
    plain.layer.dispose();
  });

  test('has the initial values of float32, rounded', () => {
    for (const [name, make] of Object.entries(LAYERS)) {
      const [plain, small] = [make('float32').layer, make(weightType).layer];
      const expected = roundedState(name, plain.stateDict(), weightType);
      for (const [key, { data }] of Object.entries(small.stateDict())) expectBits(data, expected[key]!.data, key);
      plain.dispose();
      small.dispose();
    }
  });

  test('cannot be trained', () => {
    const refused = /expected weightType 'float32' for training, got '(float16|int8|int8-fine)'/;
    const x = new Random(1).tensor([1, 5, 24]);
    const attend = new attention.MultiHeadAttention({ numHiddens: 24, numHeads: 3, weightType });
    expect(() => attend.forward(x, x, x, { training: true })).toThrow(refused);
    const layer = new attention.Linear({ inFeatures: 24, outFeatures: 3, weightType });
    expect(() => layer.forward(x, { training: true })).toThrow(refused);
    const feed = new attention.FeedForward({ numHiddens: 24, ffnHiddens: 3, weightType });
    expect(() => feed.forward(x, { training: true })).toThrow(refused);
    const table = new attention.Embedding({ numEmbeddings: 3, dim: 3, weightType });
    expect(() => table.forward([1], { training: true })).toThrow(refused);
    expect(() => new attention.Adam(layer.parameters())).toThrow(refused);
    for (const each of [attend, layer, feed, table]) each.dispose();
  });
});

test('other types are refused by name', () => {
  const make = (weightType: unknown) => () =>
    new attention.Linear({ inFeatures: 2, outFeatures: 2, weightType: weightType as MatrixType });
  const expected = 'Linear: expected weightType to be one of float32, float16, int8, int8-fine, got';
  expect(make('int4')).toThrow(new RangeError(`${expected} int4`));
  expect(make(8)).toThrow(new TypeError(`${expected} 8`));
});

test('float16 refuses 65520 and more, and keeps what it had', () => {
  const weight = new Random(3).tensor([4, 4]);
  const large = { ...weight, data: weight.data.map((x, i) => (i === 9 ? -65520 : x)) };
  const layer = linear('float16', weight, { data: Float32Array.of(1, 2, 3, 1e6), shape: [4] });
  const state = layer.stateDict();
  const message = 'weight within float16, below 65520, got -65520';
  expect(() => layer.loadStateDict({ ...state, weight: large })).toThrow(message);
  const [parameter] = layer.parameters();
  expect(() => parameter!.set(large.data)).toThrow(message);
  expect(layer.stateDict()).toEqual(state);
  layer.dispose();
});
