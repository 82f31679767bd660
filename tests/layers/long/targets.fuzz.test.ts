/** Targets of softmaxCrossEntropy that are not classes. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { softmaxCrossEntropy as reference } from '../../reference/softmaxCrossEntropy.js';
import { EPS, expectClose } from '../../support/close.js';
import { softmaxCrossEntropy } from '../../support/library.js';
import { Random } from '../../support/random.js';
import { expectRejected } from '../../support/rejections.js';

const MAX = 2 ** 31 - 1;
const whole = (min: number, max: number) => fc.integer({ min, max });
const sizes = fc.record({ rows: whole(1, 6), classes: whole(1, 5), seed: fc.nat() });

/** Random logits and correct targets. */
function problem({ rows, classes, seed }: { rows: number; classes: number; seed: number }) {
  const random = new Random(seed);
  const logits = random.tensor([rows, classes]);
  return { logits, targets: Array.from({ length: rows }, () => random.integer(0, classes - 1)) };
}

describe('softmaxCrossEntropy', () => {
  test('refuses a target that is not a class, in any row and any kind of array', () => {
    const beyond = fc.oneof(
      whole(0, 3).map((by) => (classes: number) => classes + by),
      whole(-99, -1).map((target) => () => target),
      fc
        .constantFrom(0.5, -0.5, 1 + 2 ** -40, NaN, Infinity, -Infinity, -101, MAX, 2 ** 32, 2 ** 32 - 100, -(2 ** 32))
        .map((target) => () => target),
    );
    const arrays = fc.constantFrom<(targets: number[]) => ArrayLike<number>>(
      (targets) => targets,
      (targets) => Float64Array.from(targets),
      (targets) => Object.assign({}, targets, { length: targets.length }),
    );
    fc.assert(
      fc.property(sizes, beyond, fc.nat(), arrays, (size, bad, at, arrayOf) => {
        const { logits, targets } = problem(size);
        const { loss } = softmaxCrossEntropy(logits, arrayOf(targets));
        const wrong = targets.slice();
        wrong[at % targets.length] = bad(size.classes);
        expectRejected('softmaxCrossEntropy', 'RangeError', () => softmaxCrossEntropy(logits, arrayOf(wrong)));
        expect(softmaxCrossEntropy(logits, targets).loss).toBe(loss);
      }),
      { numRuns: 300 },
    );
  });

  test('refuses targets that are not numbers, and arrays of another length', () => {
    const other = fc.constantFrom('0', '', null, undefined, true, 0n, Symbol('0'), {}, [0], () => 0);
    fc.assert(
      fc.property(sizes, other, fc.nat(), whole(1, 3), (size, bad, at, more) => {
        const { logits, targets } = problem(size);
        const wrong: unknown[] = targets.slice();
        wrong[at % targets.length] = bad;
        // [0] as the first target makes nested arrays: a wrong shape rather than a wrong kind.
        const nested = Array.isArray(bad) && at % targets.length === 0;
        expectRejected('softmaxCrossEntropy', nested ? 'RangeError' : 'TypeError', () =>
          softmaxCrossEntropy(logits, wrong as number[]),
        );
        for (const length of [targets.slice(1), [...targets, ...Array<number>(more).fill(0)]]) {
          expectRejected('softmaxCrossEntropy', 'RangeError', () => softmaxCrossEntropy(logits, length));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('ignores only ignoreIndex, whether it is a class or not', () => {
    const ignored = fc.oneof(whole(-3, 6), fc.constantFrom(-100, -(2 ** 31), MAX));
    fc.assert(
      fc.property(sizes, ignored, fc.array(fc.boolean(), { minLength: 6 }), (size, ignoreIndex, left) => {
        const { logits, targets } = problem(size);
        const given = targets.map((target, row) => (left[row] ? ignoreIndex : target));
        const found = softmaxCrossEntropy(logits, given, { ignoreIndex });
        const expected = reference(logits, given, ignoreIndex);
        if (given.every((target) => target === ignoreIndex)) {
          expect(found.loss).toBeNaN();
          expect(found.gradLogits.data).toEqual(new Float32Array(size.rows * size.classes));
          return;
        }
        // The logarithm of a sum of exponentials: each exponential is off by 2·EPS, and each addition rounds once.
        const tolerance = (size.classes + 8) * EPS;
        expect(Math.abs(found.loss - expected.loss)).toBeLessThan(tolerance * (1 + Math.abs(expected.loss)));
        expectClose(found.gradLogits, expected.gradLogits, { atol: tolerance });
      }),
      { numRuns: 300 },
    );
  });

  test('does not ignore numbers that only become ignoreIndex by rounding', () => {
    const call = (target: number, ignoreIndex: number) => () =>
      softmaxCrossEntropy([[1, 2]], [target], { ignoreIndex });
    for (const [target, ignoreIndex] of [
      [2 ** 40, MAX],
      [2 ** 32 - 100, -100],
      [-(2 ** 40), -(2 ** 31)],
      [-99.5, -100],
      [-1, -100],
      [-100, -1],
    ] as const) {
      expectRejected('softmaxCrossEntropy', 'RangeError', call(target, ignoreIndex));
    }
    for (const ignoreIndex of [MAX + 1, -(2 ** 31) - 1, NaN, Infinity, 0.5]) {
      expectRejected('softmaxCrossEntropy', 'RangeError', call(0, ignoreIndex));
    }
    for (const ignoreIndex of [null, '1', true, [1]]) {
      expectRejected('softmaxCrossEntropy', 'TypeError', call(0, ignoreIndex as never));
    }
  });
});
