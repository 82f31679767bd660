import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { conv1d as reference } from '../reference/conv1d.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { convolutionInputs } from '../support/convolutionCases.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { conv1d } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

/**
 * A sum of `terms` products of unit variance. Each addition rounds by up to EPS/2, and the roundings add up at random:
 * five standard deviations are 5·√terms·EPS/2. The bias and the last roundings take 4·EPS.
 */
const tolerance = (terms: number, expected: ArrayLike<number>) => ({
  atol: (4 + 2.5 * Math.sqrt(terms)) * EPS * Math.max(1, maxAbs(expected)),
});

describe('conv1d', () => {
  test.each(loadFixtures('layers', /^conv1d/))('agrees with PyTorch on $name', (fixture) => {
    const [x, options] = convolutionInputs(fixture);
    const expected = fixture.output('output');
    expectFixture(conv1d(x, fixture.input('weight'), options), expected);
  });

  test.each(SIZES)('agrees with the oracle at %i tokens and channels', (n) => {
    const random = new Random(n);
    for (const [Cin, Cout, length, k] of [
      [3, 5, n, 1],
      [3, 5, n + 2, 3],
      [n, 2, 7, 3],
      [2, n, 7, 3],
      [2, 3, n + 4, 5],
    ] as const) {
      const [x, weight, bias] = [random.tensor([2, Cin, length]), random.tensor([Cout, Cin, k]), random.tensor([Cout])];
      for (const options of [{}, { bias }, { bias, padding: Math.floor(k / 2) }]) {
        const expected = reference(x, weight, options);
        expectClose(conv1d(x, weight, options), expected, tolerance(Cin * k, expected.data));
      }
    }
  });

  test.each([511, 512, 513])('agrees with the oracle at a block of %i tokens', (length) => {
    const random = new Random(length);
    const [x, weight] = [random.tensor([1, 2, length]), random.tensor([5, 2, 3])];
    for (const options of [{}, { padding: 1 }, { stride: 2 }]) {
      const expected = reference(x, weight, options);
      expectClose(conv1d(x, weight, options), expected, tolerance(6, expected.data));
    }
  });

  test.each(BLOCK_SIZES)('agrees with the oracle for sums over %i channels', (channels) => {
    const random = new Random(channels);
    const [x, weight] = [random.tensor([1, channels, 9]), random.tensor([5, channels, 1])];
    const expected = reference(x, weight);
    expectClose(conv1d(x, weight), expected, tolerance(channels, expected.data));
  });

  test('agrees with the oracle for any stride, padding, dilation and groups', () => {
    const shape = fc.record({
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      B: fc.integer({ min: 1, max: 3 }),
      groups: fc.integer({ min: 1, max: 3 }),
      ins: fc.integer({ min: 1, max: 4 }),
      outs: fc.integer({ min: 1, max: 4 }),
      n: fc.integer({ min: 1, max: 20 }),
      k: fc.integer({ min: 1, max: 5 }),
      stride: fc.integer({ min: 1, max: 4 }),
      padding: fc.integer({ min: 0, max: 6 }),
      dilation: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(shape, ({ seed, B, groups, ins, outs, n, k, stride, padding, dilation }) => {
        fc.pre(n + 2 * padding >= dilation * (k - 1) + 1);
        const random = new Random(seed);
        const x = random.tensor([B, groups * ins, n]);
        const weight = random.tensor([groups * outs, ins, k]);
        const options = { bias: random.tensor([groups * outs]), stride, padding, dilation, groups };
        const expected = reference(x, weight, options);
        expectClose(conv1d(x, weight, options), expected, tolerance(ins * k, expected.data));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test('is a cross-correlation, which does not flip the kernel', () => {
    expect([...conv1d([[[1, 2, 3, 4]]], [[[1, 10, 100]]]).data]).toEqual([321, 432]);
  });

  test('does not change its inputs, and accepts an empty batch', () => {
    const [x, weight] = [new Random(1).tensor([1, 2, 5]), new Random(2).tensor([3, 2, 3])];
    const before = [...x.data, ...weight.data];
    conv1d(x, weight, { padding: 1 });
    expect([...x.data, ...weight.data]).toEqual(before);
    expect(conv1d({ data: new Float32Array(0), shape: [0, 2, 5] }, weight).shape).toEqual([0, 3, 3]);
  });

  const x = new Random(3).tensor([1, 4, 5]);
  const weight = new Random(4).tensor([6, 4, 3]);
  const call = (options: unknown) => () => conv1d(x, weight, options as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`x: ${what}`, 'TypeError', () => conv1d(bad as never, weight)]),
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`weight: ${what}`, 'TypeError', () => conv1d(x, bad as never)]),
    ['x of rank 2', 'RangeError', () => conv1d([[1, 2]], weight)],
    ['weight of rank 2', 'RangeError', () => conv1d(x, [[1, 2]])],
    ['a weight for other channels', 'RangeError', () => conv1d(x, new Random(5).tensor([6, 3, 3]))],
    ['a kernel longer than the input', 'RangeError', () => conv1d(x, new Random(5).tensor([6, 4, 6]))],
    ['an empty kernel', 'RangeError', () => conv1d(x, new Random(5).tensor([6, 4, 0]))],
    ['groups that do not divide the channels', 'RangeError', call({ groups: 3 })],
    ['a weight that is too wide for the groups', 'RangeError', call({ groups: 2 })],
    ['groups 0', 'RangeError', call({ groups: 0 })],
    ['stride 0', 'RangeError', call({ stride: 0 })],
    ['stride 1.5', 'RangeError', call({ stride: 1.5 })],
    ['stride as a string', 'TypeError', call({ stride: '1' })],
    ['dilation 0', 'RangeError', call({ dilation: 0 })],
    ['padding -1', 'RangeError', call({ padding: -1 })],
    ['padding NaN', 'RangeError', call({ padding: NaN })],
    ['a bias of another size', 'RangeError', call({ bias: [1, 2] })],
    ['a bias that is a number', 'TypeError', call({ bias: 2 })],
    ['options that are a number', 'TypeError', call(3)],
  ];
  testRejections('conv1d', rows, () => expect([...conv1d([[[1, 2]]], [[[3]]]).data]).toEqual([3, 6]));
});
