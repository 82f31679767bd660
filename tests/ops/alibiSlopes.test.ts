import { describe, expect, test } from '@jest/globals';
import { alibiSlopes as reference } from '../reference/alibiSlopes.js';
import { EPS, expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { alibiSlopes } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('alibiSlopes', () => {
  test.each(loadFixtures('positional', /^alibi_slopes/))('agrees with PyTorch on $name', (fixture) => {
    const { num_heads } = fixture.attributes as { num_heads: number };
    expectFixture(alibiSlopes(num_heads), fixture.output('slopes'));
  });

  test('agrees with the published recursion for 1 to 130 heads', () => {
    for (let heads = 1; heads <= 130; ++heads) {
      // One rounding to float32, and the roundings of the oracle's products in float64.
      expectClose(alibiSlopes(heads), { data: reference(heads), shape: [heads] }, { rtol: EPS / 2 + 1e-13 });
    }
  });

  test('gives powers of two for eight heads', () => {
    expect([...alibiSlopes(8).data]).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((h) => 2 ** -h));
  });

  const call = (numHeads: unknown) => () => alibiSlopes(numHeads as never);
  const rows: Rejection[] = [
    ['0 heads', 'RangeError', call(0)],
    ['-8 heads', 'RangeError', call(-8)],
    ['2.5 heads', 'RangeError', call(2.5)],
    ['NaN heads', 'RangeError', call(NaN)],
    ['more heads than a layer can have', 'RangeError', call(2 ** 30)],
    ['a string', 'TypeError', call('8')],
    ['nothing', 'TypeError', call(undefined)],
  ];
  testRejections('alibiSlopes', rows, () => expect([...alibiSlopes(1).data]).toEqual([2 ** -8]));
});
