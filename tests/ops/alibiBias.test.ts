import { describe, expect, test } from '@jest/globals';
import { alibiBias as reference } from '../reference/alibiBias.js';
import { EPS, expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { alibiBias, alibiSlopes, scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('alibiBias', () => {
  test.each(loadFixtures('positional', /^alibi_bias/))('agrees with PyTorch on $name', (fixture) => {
    const { num_heads, query_length, key_length, symmetric, query_offset } = fixture.attributes as {
      num_heads: number;
      query_length: number;
      key_length: number;
      symmetric: boolean;
      query_offset: number;
    };
    const bias = alibiBias({
      numHeads: num_heads,
      queryLength: query_length,
      keyLength: key_length,
      offset: query_offset,
      symmetric,
      isCausal: !symmetric,
    });
    expectFixture(bias, fixture.output('bias'));
  });

  test('agrees with the oracle for any lengths and offset', () => {
    for (const [queryLength, keyLength] of [
      [1, 1],
      [1, 9],
      [9, 1],
      [4, 7],
      [7, 4],
      [33, 17],
    ] as const) {
      for (const offset of [0, 3, -2, 1000]) {
        for (const symmetric of [false, true]) {
          for (const isCausal of [false, true]) {
            const options = { numHeads: 3, queryLength, keyLength, offset, symmetric, isCausal };
            // A slope is rounded once; for three heads slopes are powers of two, so their products are exact.
            expectClose(alibiBias(options), reference(options), { rtol: EPS / 2 });
          }
        }
      }
    }
  });

  test('has as many keys as queries by default, and may be empty', () => {
    expect(alibiBias({ numHeads: 2, queryLength: 5 }).shape).toEqual([2, 5, 5]);
    expect(alibiBias({ numHeads: 2, queryLength: 0 })).toEqual({
      data: new Float32Array(0),
      shape: [2, 0, 0],
    });
    expect(alibiBias({ numHeads: 2, queryLength: 3, keyLength: 0 }).shape).toEqual([2, 3, 0]);
  });

  test("is the bias that attention's option alibiSlopes adds", () => {
    const random = new Random(1);
    const [q, k, v] = [random.tensor([2, 3, 5, 8]), random.tensor([2, 3, 9, 8]), random.tensor([2, 3, 9, 4])];
    const bias = alibiBias({ numHeads: 3, queryLength: 5, keyLength: 9, offset: 2 });
    const added = scaledDotProductAttention(q, k, v, { bias }).output;
    const inside = scaledDotProductAttention(q, k, v, {
      alibiSlopes: alibiSlopes(3),
      causalOffset: 2,
    }).output;
    // Scores below 16 differ by up to 2·16·EPS. Weights differ by as much relative to themselves, and mix values below
    // 4.
    expectClose(inside, added, { atol: 4 * 16 * 2 * EPS });
  });

  test('does not change if queries and keys are shifted together', () => {
    const at = (first: number) => {
      const { data } = alibiBias({ numHeads: 2, queryLength: 4, keyLength: 12, offset: first });
      // The bias of keys first … first + 3.
      return Array.from({ length: 2 * 4 * 4 }, (_, i) => data[Math.floor(i / 4) * 12 + first + (i % 4)]);
    };
    for (const first of [1, 5, 8]) expect(at(first)).toEqual(at(0));
  });

  const call = (options: unknown) => () => alibiBias(options as never);
  const fine = { numHeads: 2, queryLength: 3 };
  const rows: Rejection[] = [
    ['no options', 'TypeError', call(undefined)],
    ['options null', 'TypeError', call(null)],
    ['no heads', 'TypeError', call({ queryLength: 3 })],
    ['0 heads', 'RangeError', call({ ...fine, numHeads: 0 })],
    ['no queryLength', 'TypeError', call({ numHeads: 2 })],
    ['queryLength -1', 'RangeError', call({ ...fine, queryLength: -1 })],
    ['keyLength 2.5', 'RangeError', call({ ...fine, keyLength: 2.5 })],
    ['offset 0.5', 'RangeError', call({ ...fine, offset: 0.5 })],
    ['offset as a string', 'TypeError', call({ ...fine, offset: '1' })],
    ['symmetric as a number', 'TypeError', call({ ...fine, symmetric: 1 })],
    ['isCausal as a string', 'TypeError', call({ ...fine, isCausal: 'yes' })],
    ['more entries than fit into memory', 'RangeError', call({ numHeads: 64, queryLength: 2 ** 24 })],
  ];
  testRejections('alibiBias', rows, () => expect(alibiBias(fine).data[3]).toBe(-(2 ** -4)));
});
