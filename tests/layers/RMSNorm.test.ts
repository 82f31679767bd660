import { describe, expect, test } from '@jest/globals';
import { rmsNorm, rmsNormBackward } from '../reference/rmsNorm.js';
import { EPS, expectClose } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { loadFixtures } from '../support/fixtures.js';
import { expectLayerFixture } from '../support/layerFixture.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

const make = (options: object = {}) => new attention.RMSNorm({ normalizedShape: 6, ...options });

describe('RMSNorm agrees with PyTorch', () => {
  test.each(loadFixtures('modern', /^rms_norm/))('on $name', (fixture) => {
    const { dim: normalizedShape, eps } = fixture.attributes as { dim: number; eps: number };
    expectLayerFixture(make({ normalizedShape, eps }), fixture);
  });
});

/** Compares both passes with float64. */
function check(rows: number, width: number, eps: number): void {
  const random = new Random(rows + 100 * width);
  const layer = make({ normalizedShape: width, eps });
  const weight = random.tensor([width]);
  layer.loadStateDict({ weight });
  const [x, G] = [random.tensor([rows, width]), random.tensor([rows, width])];
  const { output, backward } = layer.forward(x, { training: true });
  const expected = rmsNormBackward(G, x, eps, weight);
  // Some dozens of roundings, divided by the row's root, which may be small in short rows; weights and gradients are up
  // to 4 large.
  const least = Math.min(
    ...Array.from({ length: rows }, (_, r) => {
      const row = x.data.slice(r * width, (r + 1) * width);
      return Math.sqrt(dot(row, row) / width + eps);
    }),
  );
  expectClose(output, rmsNorm(x, eps, weight), { atol: 32 * EPS * 4 });
  expectClose(backward!(G).input, expected.x, { atol: (32 * EPS * 16) / least });
  const [{ grad, shape } = { grad: [], shape: [] }] = layer.parameters();
  expectClose({ data: grad, shape }, expected.weight, { atol: (32 * Math.sqrt(rows) + rows) * EPS * 4 });
  layer.dispose();
}

describe('RMSNorm', () => {
  test('has an oracle whose gradients agree with differences', () => {
    const random = new Random(1);
    const [x, weight, G] = [random.tensor([3, 5]), random.tensor([5]), random.tensor([3, 5])];
    const gradients = rmsNormBackward(G, x, 0.01, weight);
    expectGradient(gradients.x, x, (at) => dot(rmsNorm(at, 0.01, weight).data, G.data));
    expectGradient(gradients.weight, weight, (at) => dot(rmsNorm(x, 0.01, at).data, G.data));
  });

  test.each([...SIZES, 129, 4095, 4097, 9001])(
    'agrees with float64 for rows of %i elements and for %i rows',
    (size) => {
      check(3, size, 1e-6);
      check(size, 4, 1e-2);
      check(1, size, 0.1);
    },
  );

  test('depends on a row’s scale only through eps', () => {
    const x = new Random(2).tensor([1, 6]);
    const scaled = { data: x.data.map((v) => v * 1024), shape: x.shape };
    const [one, other] = [x, scaled].map((row) => make({ eps: 0 }).forward(row).output);
    expect(one).toEqual(other); // multiplied by a power of two, nothing rounds differently
    expect(make({ eps: 0 }).forward(x).output).not.toEqual(make({ eps: 0.1 }).forward(x).output);
    expect(make().forward(x).output).toEqual(make({ eps: 1e-6 }).forward(x).output);
  });

  test('gives zeros for a row of zeros, and NaN only in the row of a NaN', () => {
    const x = { data: Float32Array.of(0, 0, 0, 0, 0, 0, 1, 2, NaN, 4, 5, 6), shape: [2, 6] };
    const { data } = make().forward(x).output;
    expect(Array.from(data)).toEqual(Array.from({ length: 12 }, (_, i) => (i < 6 ? 0 : NaN)));
  });

  test('normalises several axes together', () => {
    const x = new Random(4).tensor([2, 3, 4]);
    const layer = make({ normalizedShape: [3, 4] });
    expect(layer.stateDict().weight).toEqual({ data: new Float32Array(12).fill(1), shape: [3, 4] });
    const flat = make({ normalizedShape: 12 }).forward({ data: x.data, shape: [2, 12] }).output;
    expect(layer.forward(x).output).toEqual({ data: flat.data, shape: [2, 3, 4] });
  });

  const construct = (options: unknown) => () => new attention.RMSNorm(options as never);
  const forward = (x: unknown) => () => make().forward(x as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no normalizedShape', 'TypeError', construct({})],
    ['normalizedShape []', 'RangeError', construct({ normalizedShape: [] })],
    ['normalizedShape 0', 'RangeError', construct({ normalizedShape: 0 })],
    ['eps -1', 'RangeError', construct({ normalizedShape: 6, eps: -1 })],
    ['eps as a string', 'TypeError', construct({ normalizedShape: 6, eps: '0' })],
    ['affine', 'TypeError', construct({ normalizedShape: 6, affine: false })],
    [
      'a bias in the state',
      'RangeError',
      () => make().loadStateDict({ weight: [1, 1, 1, 1, 1, 1], bias: [0, 0, 0, 0, 0, 0] }),
    ],
    ['x of another width', 'RangeError', forward(new Random(4).tensor([2, 5]))],
  ];
  testRejections('RMSNorm', rows, () => expect(make().forward([1, 2, 3, 4, 5, 6]).output.shape).toEqual([6]));
});
