import { describe, expect, test } from '@jest/globals';
import { silu as reference } from '../reference/silu.js';
import { EPS, expectClose } from '../support/close.js';
import { silu } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

describe('silu', () => {
  test.each(SIZES)('agrees with float64 for %i elements', (size) => {
    const x = new Random(size).tensor([size], 3);
    expectClose(silu(x), reference(x), { atol: 1e-37, rtol: 4 * EPS });
  });

  test('agrees with float64 from -80 to 80, and ends in 0 and x', () => {
    const x = { data: Float32Array.from({ length: 1601 }, (_, i) => (i - 800) / 10), shape: [1601] };
    // e^-x is off by 2e-7 of itself, and each of four more steps by a rounding.
    expectClose(silu(x), reference(x), { atol: 1e-37, rtol: 5 * EPS });
    expect(Array.from(silu([-1e30, -200, 200, 3e38]).data, Math.abs)).toEqual(
      Array.from(Float32Array.of(0, 0, 200, 3e38)),
    );
  });

  test('keeps any shape, and NaN in its place', () => {
    const { data, shape } = silu({ data: Float32Array.of(1, NaN, 3, 4, 5, 6), shape: [2, 3] });
    expect(shape).toEqual([2, 3]);
    expect(Array.from(data, Number.isNaN)).toEqual([false, true, false, false, false, false]);
    expect(silu({ data: [], shape: [0] }).shape).toEqual([0]);
  });

  testRejections(
    'silu',
    NOT_TENSORS.map(([what, x]) => [what, 'TypeError', () => silu(x as never)] as never),
    () => expect(silu([0]).data[0]).toBe(0),
  );
});
