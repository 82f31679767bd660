import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { softmaxCrossEntropy as reference } from '../reference/softmaxCrossEntropy.js';
import { EPS, expectClose } from '../support/close.js';
import { expectGradient } from '../support/differences.js';
import { expectNoGrowth, softmaxCrossEntropy } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

const whole = (min: number, max: number) => fc.integer({ min, max });

function check(rows: number, classes: number, scale: number, ignoreIndex = -100): void {
  const random = new Random(rows + 100 * classes);
  const logits = random.tensor([rows, classes], scale);
  const targets = Array.from({ length: rows }, (_, row) =>
    row % 3 === 2 ? ignoreIndex : random.integer(0, classes - 1),
  );
  const { loss, gradLogits } = softmaxCrossEntropy(logits, targets, { ignoreIndex });
  const expected = reference(logits, targets, ignoreIndex);
  // The logarithm of a sum of exponentials: each exponential is off by 2·EPS, and each addition rounds once.
  expect(Math.abs(loss - expected.loss)).toBeLessThan((classes + 8) * EPS * (1 + Math.abs(expected.loss)));
  expectClose(gradLogits, expected.gradLogits, { atol: ((classes + 8) * EPS) / rows });
}

describe('softmaxCrossEntropy', () => {
  test('has an oracle whose gradients agree with differences', () => {
    const logits = new Random(1).tensor([4, 3]);
    const targets = [2, 0, -1, 1];
    expectGradient(reference(logits, targets, -1).gradLogits, logits, (at) => reference(at, targets, -1).loss);
  });

  test.each(SIZES)('agrees with float64 for %i classes or rows', (size) => {
    check(5, size, 1);
    check(size, 7, 10);
    check(4, size, 30, -1);
  });

  test('is log C if all C logits of a row are equal', () => {
    const { loss, gradLogits } = softmaxCrossEntropy({ data: new Float32Array(8).fill(3), shape: [2, 4] }, [0, 3]);
    expect(Math.abs(loss - Math.log(4))).toBeLessThan(2 * EPS);
    expect(Array.from(gradLogits.data)).toEqual([-0.375, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, -0.375]);
  });

  test('does not change the logits, nor its result if all logits are shifted', () => {
    fc.assert(
      fc.property(whole(1, 5), whole(1, 9), whole(-64, 64), (rows, classes, shift) => {
        const { data, shape } = new Random(rows * 10 + classes).tensor([rows, classes]);
        // Multiples of 2^-10 stay exact when a whole number is added.
        const logits = data.map((x) => Math.round(x * 1024) / 1024);
        const copy = logits.slice();
        const targets = Array.from({ length: rows }, (_, row) => row % classes);
        const first = softmaxCrossEntropy({ data: logits, shape }, targets);
        expect(logits).toEqual(copy);
        const shifted = softmaxCrossEntropy({ data: logits.map((x) => x + shift), shape }, targets);
        expect(shifted).toEqual(first);
        const sums = Array.from({ length: rows }, (_, row) =>
          first.gradLogits.data.slice(row * classes, (row + 1) * classes).reduce((sum, x) => sum + x, 0),
        );
        for (const sum of sums) expect(Math.abs(sum)).toBeLessThan(classes * EPS);
      }),
      { numRuns: 50 },
    );
  });

  test('accepts logits of any size', () => {
    const { loss, gradLogits } = softmaxCrossEntropy([[3e38, -3e38, 0]], [0]);
    expect([loss, ...gradLogits.data]).toEqual([0, 0, 0, 0]);
    expect(softmaxCrossEntropy([[-Infinity, 0]], [1]).loss).toBe(0);
    expect(softmaxCrossEntropy([[-Infinity, 0]], [0]).loss).toBe(Infinity);
    expect(softmaxCrossEntropy([[NaN, 0]], [1]).loss).toBeNaN();
  });

  test('returns NaN and zero gradients if all targets are ignored', () => {
    const ignored = softmaxCrossEntropy([[1, 2]], [-100]);
    expect(ignored).toEqual({ loss: NaN, gradLogits: { data: new Float32Array(2), shape: [1, 2] } });
    expect(softmaxCrossEntropy({ data: [], shape: [0, 3] }, []).loss).toBeNaN();
  });

  test('can ignore a class', () => {
    const two = [
      [1, 2],
      [3, 5],
    ];
    const { loss, gradLogits } = softmaxCrossEntropy(two, [0, 1], { ignoreIndex: 1 });
    expect(loss).toBe(softmaxCrossEntropy([[1, 2]], [0]).loss);
    expect(Array.from(gradLogits.data.slice(2))).toEqual([0, 0]);
  });

  test('leaks no memory', () => {
    const logits = new Random(2).tensor([512, 200]);
    const targets = new Int32Array(512);
    expectNoGrowth(100, () => softmaxCrossEntropy(logits, targets));
  });

  const call = (logits: unknown, targets: unknown, options?: unknown) => () =>
    softmaxCrossEntropy(logits as never, targets as never, options as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`logits: ${what}`, 'TypeError', call(bad, [0])]),
    ['logits of rank 1', 'RangeError', call([1, 2], [0, 1])],
    [
      'too few targets',
      'RangeError',
      call(
        [
          [1, 2],
          [3, 4],
        ],
        [0],
      ),
    ],
    ['targets of rank 2', 'RangeError', call([[1, 2]], [[0]])],
    ['a target beyond the classes', 'RangeError', call([[1, 2]], [2])],
    ['a negative target', 'RangeError', call([[1, 2]], [-1])],
    ['a fractional target', 'RangeError', call([[1, 2]], [0.5])],
    ['a target that is a string', 'TypeError', call([[1, 2]], ['0'])],
    ['no targets', 'TypeError', call([[1, 2]], undefined)],
    ['a fractional ignoreIndex', 'RangeError', call([[1, 2]], [0], { ignoreIndex: 0.5 })],
    ['an ignoreIndex that is a string', 'TypeError', call([[1, 2]], [0], { ignoreIndex: '0' })],
    ['options that are a number', 'TypeError', call([[1, 2]], [0], 1)],
  ];
  testRejections('softmaxCrossEntropy', rows, () =>
    expect(softmaxCrossEntropy([[0, 0]], [1]).loss).toBeCloseTo(Math.LN2),
  );
});
