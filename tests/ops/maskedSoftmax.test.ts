import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskedSoftmax as reference } from '../reference/maskedSoftmax.js';
import { EPS, expectClose, type Tolerance } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { maskedSoftmax } from '../support/library.js';
import { Random } from '../support/random.js';
import { BROKEN_TENSORS, NOT_TENSORS, testRejections } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

/**
 * The logits are exact here. An exponential is off by 2·EPS, and by |x - max|·EPS/2 because its argument is rounded:
 * 20·EPS at a distance of 40. A division adds EPS/2, and the S additions of the sum add up at random to about √S·EPS/2.
 * Weights below 2^-126 may become zero.
 */
function tolerance(S: number): Tolerance {
  return { rtol: (32 + Math.sqrt(S)) * EPS, atol: 2 ** -126 };
}

describe('maskedSoftmax agrees with PyTorch', () => {
  test.each(loadFixtures('d2l_attention', /^masked_softmax/))('on $name', (fixture) => {
    const expected = fixture.output('output');
    expectFixture(maskedSoftmax(fixture.input('X'), fixture.input('valid_lens')), expected);
  });

  test.each(loadFixtures('nasty', /^softmax/))('on $name', (fixture) => {
    const expected = fixture.output('output');
    expectFixture(maskedSoftmax(fixture.input('x')), expected);
  });
});

describe('maskedSoftmax agrees with the float64 oracle', () => {
  test.each(SIZES.flatMap((S) => [[1, S] as const, [3, S] as const]))('for %i rows of %i keys', (L, S) => {
    const random = new Random(100 * L + S);
    for (const shape of [
      [L, S],
      [2, L, S],
      [2, 3, L, S],
    ]) {
      const scores = random.tensor(shape, 3);
      const B = shape.length === 2 ? 1 : 2;
      const perSequence = Int32Array.from({ length: B }, () => random.integer(0, S));
      const perQuery = Int32Array.from({ length: B * L }, () => random.integer(0, S + 1));
      for (const validLens of [undefined, { data: perSequence, shape: [B] }, { data: perQuery, shape: [B, L] }]) {
        expectClose(maskedSoftmax(scores, validLens), reference(scores, validLens), tolerance(S));
      }
    }
  });

  test('for rows of 4099 keys', () => {
    const scores = new Random(5).tensor([2, 4099], 5);
    expectClose(maskedSoftmax(scores), reference(scores), tolerance(4099));
  });

  test('for all logits that give weights in the normal range of float32', () => {
    const scores = { data: Float32Array.from({ length: 880 }, (_, i) => -i / 10), shape: [1, 880] };
    // x - max is up to 88, so its rounding is up to 88·EPS/2, which the exponential turns into a relative error of
    // 44·EPS.
    expectClose(maskedSoftmax(scores), reference(scores), { rtol: 80 * EPS, atol: 2 ** -126 });
  });
});

describe('maskedSoftmax', () => {
  const rows = fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    L: fc.integer({ min: 1, max: 5 }),
    S: fc.integer({ min: 1, max: 70 }),
  });

  test('has rows that sum to 1', () => {
    fc.assert(
      fc.property(rows, ({ seed, L, S }) => {
        const { data } = maskedSoftmax(new Random(seed).tensor([1, L, S], 10));
        for (let i = 0; i < L; ++i) {
          const sum = data.subarray(i * S, (i + 1) * S).reduce((total, w) => total + w, 0);
          // The library's sum and the one above each have S roundings, which add up at random.
          expect(Math.abs(sum - 1)).toBeLessThanOrEqual((4 + Math.sqrt(S)) * EPS);
        }
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test('does not change when a whole number is added to every logit of a row', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: -64, max: 64 }), ({ seed, L, S }, shift) => {
        // The logits are multiples of 2^-10 and below 2^8, so adding the shift is exact and the results are equal to
        // the bit.
        const random = new Random(seed);
        const data = Float32Array.from({ length: L * S }, () => random.integer(-8192, 8192) / 1024);
        const shifted = data.map((x) => x + shift);
        expect(maskedSoftmax({ data: shifted, shape: [1, L, S] })).toEqual(maskedSoftmax({ data, shape: [1, L, S] }));
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test.each([NaN, Infinity, -Infinity, 3.4e38])('never reads %d in the padding', (poison) => {
    const random = new Random(7);
    for (const S of SIZES) {
      const clean = random.tensor([2, 3, S]);
      const validLens = [Math.floor(S / 2), S - 1];
      const poisoned = clean.data.map((x, at) => (at % S >= validLens[Math.floor(at / (3 * S))]! ? poison : x));
      expect(maskedSoftmax({ data: poisoned, shape: clean.shape }, validLens)).toEqual(maskedSoftmax(clean, validLens));
    }
  });

  test('gives zeros if no key is valid, by length or by -Infinity', () => {
    expect(maskedSoftmax([[[1, 2, 3]], [[4, 5, 6]]], [0, 3]).data.subarray(0, 3)).toEqual(new Float32Array(3));
    expect(maskedSoftmax([[[-Infinity, -Infinity]]]).data).toEqual(new Float32Array(2));
    expect(maskedSoftmax([[[-Infinity, -Infinity, 5]]], [2]).data).toEqual(new Float32Array(3));
    expect(maskedSoftmax([[[-Infinity, 3]]]).data).toEqual(Float32Array.of(0, 1));
  });

  test('treats a length above the number of keys as all keys', () => {
    expect(maskedSoftmax([[[1, 2, 3]]], [99])).toEqual(maskedSoftmax([[[1, 2, 3]]]));
  });

  test('accepts lengths as a typed array, nested arrays or a tensor', () => {
    const scores = new Random(3).tensor([2, 2, 4]);
    const expected = maskedSoftmax(scores, [
      [1, 3],
      [2, 4],
    ]);
    expect(maskedSoftmax(scores, { data: Float32Array.of(1, 3, 2, 4), shape: [2, 2] })).toEqual(expected);
    expect(maskedSoftmax(scores, [Int32Array.of(1, 3), Int32Array.of(2, 4)])).toEqual(expected);
    expect(maskedSoftmax(scores, Uint8Array.of(2, 3))).toEqual(maskedSoftmax(scores, [2, 3]));
  });

  test('gives equal logits exactly equal weights', () => {
    for (const x of [0, 1, -7.25, 1e4, -1e4, 3.4028234663852886e38, -3.4028234663852886e38]) {
      for (const S of SIZES) {
        const { data } = maskedSoftmax({ data: new Float32Array(S).fill(x), shape: [1, S] });
        expect(data).toEqual(new Float32Array(S).fill(1 / S));
      }
    }
  });

  test('accepts arrays of length 0', () => {
    expect(maskedSoftmax({ data: new Float32Array(0), shape: [2, 0, 3] }, [1, 2]).shape).toEqual([2, 0, 3]);
    expect(maskedSoftmax({ data: new Float32Array(0), shape: [2, 3, 0] }, [0, 4]).shape).toEqual([2, 3, 0]);
    expect(maskedSoftmax({ data: new Float32Array(0), shape: [0, 3, 2] }, []).data).toHaveLength(0);
  });

  test('accepts a view at an odd offset, and does not change its inputs', () => {
    const buffer = new Float32Array([9, 1, 2, 3, 9]);
    const scores = { data: buffer.subarray(1, 4), shape: [1, 1, 3] };
    const validLens = Int32Array.of(2);
    const result = maskedSoftmax(scores, validLens);
    expectClose(result, reference(scores, { data: [2], shape: [1] }), tolerance(3));
    expect([...buffer]).toEqual([9, 1, 2, 3, 9]);
    expect([...validLens]).toEqual([2]);
    result.data.fill(7);
    expect(maskedSoftmax(scores, validLens).data).not.toEqual(result.data);
  });

  const scores = [[[1, 2, 3]], [[4, 5, 6]]];
  testRejections(
    'maskedSoftmax',
    [
      ...NOT_TENSORS.map(
        ([what, value]) => [`scores: ${what}`, 'TypeError', () => maskedSoftmax(value as never)] as const,
      ),
      ...BROKEN_TENSORS.map(
        ([what, value]) => [`scores: ${what}`, 'RangeError', () => maskedSoftmax(value as never)] as const,
      ),
      ['too few lengths', 'RangeError', () => maskedSoftmax(scores, [1])],
      ['too many lengths', 'RangeError', () => maskedSoftmax(scores, [1, 2, 3])],
      [
        'lengths for another number of queries',
        'RangeError',
        () =>
          maskedSoftmax(scores, [
            [1, 2],
            [1, 2],
          ]),
      ],
      ['lengths of rank 3', 'RangeError', () => maskedSoftmax(scores, [[[1]], [[2]]] as never)],
      ['a negative length', 'RangeError', () => maskedSoftmax(scores, [1, -1])],
      ['a fractional length', 'RangeError', () => maskedSoftmax(scores, [1, 1.5])],
      ['a NaN length', 'RangeError', () => maskedSoftmax(scores, [1, NaN])],
      ['an infinite length', 'RangeError', () => maskedSoftmax(scores, [1, Infinity])],
      ['a length that is a string', 'TypeError', () => maskedSoftmax(scores, [1, '2'] as never)],
      ['lengths that are a number', 'TypeError', () => maskedSoftmax(scores, 2 as never)],
    ],
    () => expect(maskedSoftmax([[[0, 0, 5]]], [2]).data).toEqual(Float32Array.of(0.5, 0.5, 0)),
  );
});
