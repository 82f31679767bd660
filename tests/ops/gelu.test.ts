import { describe, expect, test } from '@jest/globals';
import { gelu as reference } from '../reference/gelu.js';
import { EPS, expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { gelu } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

describe('gelu', () => {
  test.each(loadFixtures('layers', /^gelu/))('agrees with PyTorch on $name', (fixture) => {
    expectFixture(gelu(fixture.input('x')), fixture.output('output'));
  });

  describe.each(['none', 'tanh'] as const)('with approximate %s', (approximate) => {
    test.each(SIZES)('agrees with float64 for %i elements', (size) => {
      const x = new Random(size).tensor([size], 3);
      // Both factors are off by up to 2.5e-7 of themselves.
      expectClose(gelu(x, { approximate }), reference(x, approximate), { atol: 4 * EPS, rtol: 4 * EPS });
    });
  });

  test('is exact by default, and the approximation differs from it', () => {
    const x = [1, 2, -1.5];
    expect(gelu(x)).toEqual(gelu(x, { approximate: 'none' }));
    expect(gelu(x).data).not.toEqual(gelu(x, { approximate: 'tanh' }).data);
  });

  test('keeps any shape, and NaN in its place', () => {
    const { data, shape } = gelu({ data: Float32Array.of(1, NaN, 3, 4), shape: [1, 2, 1, 2, 1] });
    expect(shape).toEqual([1, 2, 1, 2, 1]);
    expect(Array.from(data, Number.isNaN)).toEqual([false, true, false, false]);
    expect(gelu({ data: [], shape: [3, 0] }).shape).toEqual([3, 0]);
    expect(gelu({ data: [0], shape: [] })).toEqual({ data: Float32Array.of(0), shape: [] });
  });

  test('gives the same results for more elements than a block', () => {
    const x = new Random(1).tensor([3, 70_001]);
    const { data } = gelu(x);
    for (const from of [0, 131_060, 131_072, 210_000]) {
      expect(data.slice(from, from + 3)).toEqual(gelu({ data: x.data.slice(from, from + 3), shape: [3] }).data);
    }
  });

  testRejections(
    'gelu',
    [
      ...NOT_TENSORS.map(([what, x]) => [what, 'TypeError', () => gelu(x as never)] as const),
      ['approximate: sigmoid', 'RangeError', () => gelu([1], { approximate: 'sigmoid' as never })],
    ].map((row) => row as never),
    () => expect(gelu([0]).data[0]).toBe(0),
  );
});
