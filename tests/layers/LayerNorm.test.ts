import { describe, expect, test } from '@jest/globals';
import { layerNorm, layerNormBackward } from '../reference/layerNorm.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { loadFixtures } from '../support/fixtures.js';
import { expectLayerFixture } from '../support/layerFixture.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

const make = (options: object = {}) => new attention.LayerNorm({ normalizedShape: 6, ...options });

describe('LayerNorm agrees with PyTorch', () => {
  test.each(loadFixtures('layers', /^layernorm/))('on $name', (fixture) => {
    const { normalized_shape: normalizedShape, eps } = fixture.attributes as {
      normalized_shape: number[];
      eps: number;
    };
    expectLayerFixture(make({ normalizedShape, eps }), fixture);
  });
});

/** Compares both passes with float64. */
function check(rows: number, width: number, affine: boolean, eps: number, shift = 0): void {
  const random = new Random(rows + 100 * width);
  const layer = make({ normalizedShape: width, affine, eps });
  const [weight, bias] = affine ? [random.tensor([width]), random.tensor([width])] : [];
  if (weight && bias) layer.loadStateDict({ weight, bias });
  const x = random.tensor([rows, width]);
  x.data.forEach((value, i) => (x.data[i] = value + shift));
  const G = random.tensor([rows, width]);
  const { output, backward } = layer.forward(x, { training: true });
  const expected = layerNormBackward(G, x, eps, weight);
  // Some dozens of roundings, divided by the row's deviation, which may be small in short rows. Outputs are up to 4
  // large. A gradient is divided by the deviation again.
  const rootAtLeast = Math.min(
    ...Array.from({ length: rows }, (_, r) => spread(x.data.slice(r * width, (r + 1) * width), eps)),
  );
  const atol = (32 * EPS) / rootAtLeast;
  expectClose(output, layerNorm(x, eps, weight, bias), { atol: atol * 4 });
  expectClose(backward!(G).input, expected.x, { atol: (atol * 16) / rootAtLeast });
  for (const { name, grad, shape } of layer.parameters()) {
    expectClose({ data: grad, shape }, expected[name as 'weight' | 'bias'], {
      atol: atol * 4 * Math.sqrt(rows) + rows * EPS * 4,
    });
  }
  layer.dispose();
}

function spread(row: Float32Array, eps: number): number {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  return Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length + eps);
}

describe('LayerNorm', () => {
  test('has an oracle whose gradients agree with differences', () => {
    const random = new Random(1);
    const [x, weight, bias] = [random.tensor([3, 5]), random.tensor([5]), random.tensor([5])];
    const G = random.tensor([3, 5]);
    const gradients = layerNormBackward(G, x, 0.01, weight);
    expectGradient(gradients.x, x, (at) => dot(layerNorm(at, 0.01, weight, bias).data, G.data));
    expectGradient(gradients.weight, weight, (at) => dot(layerNorm(x, 0.01, at, bias).data, G.data));
    expectGradient(gradients.bias, bias, (at) => dot(layerNorm(x, 0.01, weight, at).data, G.data));
  });

  test.each(SIZES)('agrees with float64 for rows of %i elements and for %i rows', (size) => {
    check(3, size, true, 1e-5);
    check(size, 4, false, 1e-2);
    check(2, size, false, 0.1);
  });

  test('is as exact for rows with a large mean', () => {
    for (const shift of [1e3, -1e5]) check(4, 67, true, 1e-5, shift);
  });

  test('gives rows mean 0 and variance 1, whatever their scale', () => {
    for (const scale of [1e-2, 1, 1e6]) {
      const { data } = make({ normalizedShape: 64, affine: false }).forward(
        new Random(2).tensor([5, 64], scale),
      ).output;
      for (let row = 0; row < 5; ++row) {
        const values = data.slice(64 * row, 64 * row + 64);
        expect(Math.abs(values.reduce((sum, y) => sum + y, 0))).toBeLessThan(64 * 4 * EPS);
        // At scale 1e-2 the variance is 1e-4 and eps a tenth of it, so the result's variance is about 1/1.1.
        expect(dot(values, values) / 64).toBeGreaterThan(0.85);
        expect(dot(values, values) / 64).toBeLessThan(1 + 64 * EPS);
      }
    }
  });

  test('returns the bias for a constant row', () => {
    const layer = make();
    const bias = new Random(3).tensor([6]);
    layer.loadStateDict({ weight: new Float32Array(6).fill(2) as never, bias });
    expect(layer.forward([[5, 5, 5, 5, 5, 5]]).output.data).toEqual(bias.data);
  });

  test('normalises several axes together', () => {
    const x = new Random(4).tensor([2, 3, 4]);
    const layer = make({ normalizedShape: [3, 4] });
    expect(layer.stateDict().weight!.shape).toEqual([3, 4]);
    const flat = make({ normalizedShape: 12 }).forward({ data: x.data, shape: [2, 12] }).output;
    expect(layer.forward(x).output).toEqual({ data: flat.data, shape: [2, 3, 4] });
  });

  test('starts with a weight of ones and a bias of zeros, and has neither with affine: false', () => {
    const { weight, bias } = make().stateDict();
    expect([weight!.data, bias!.data]).toEqual([new Float32Array(6).fill(1), new Float32Array(6)]);
    expect(make({ affine: false }).stateDict()).toEqual({});
    const { output, backward } = make({ affine: false }).forward(new Random(5).tensor([2, 6]), {
      training: true,
    });
    expect(maxAbs(backward!(output).input.data)).toBeLessThan(1e-4); // a row's own direction has no gradient
  });

  const construct = (options: unknown) => () => new attention.LayerNorm(options as never);
  const forward = (x: unknown) => () => make().forward(x as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no normalizedShape', 'TypeError', construct({})],
    ['normalizedShape []', 'RangeError', construct({ normalizedShape: [] })],
    ['normalizedShape [0]', 'RangeError', construct({ normalizedShape: [0] })],
    ['normalizedShape of strings', 'TypeError', construct({ normalizedShape: ['6'] })],
    ['eps -1', 'RangeError', construct({ normalizedShape: 6, eps: -1 })],
    ['eps NaN', 'RangeError', construct({ normalizedShape: 6, eps: NaN })],
    ['affine 0', 'TypeError', construct({ normalizedShape: 6, affine: 0 })],
    ['x of another width', 'RangeError', forward(new Random(4).tensor([2, 5]))],
    ['x with too few axes', 'RangeError', () => make({ normalizedShape: [2, 6] }).forward(new Random(4).tensor([6]))],
  ];
  testRejections('LayerNorm', rows, () => expect(make().forward([1, 2, 3, 4, 5, 6]).output.shape).toEqual([6]));
});
