import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sinusoidalEncoding as reference } from '../reference/sinusoidalEncoding.js';
import { EPS, expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { sinusoidalEncoding } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

/** Half an ulp of float32 below 1 is EPS/4; the float64 angle is off by up to 1e-8 at positions up to 2^24. */
const EXACT = { atol: EPS / 4 + 1e-8 };

describe('sinusoidalEncoding agrees with PyTorch', () => {
  test.each(loadFixtures('positional', /^sinusoidal/))('on $name', (fixture) => {
    const positions = fixture.input('positions').data;
    const { num_hiddens, base } = fixture.attributes as { num_hiddens: number; base: number };
    const P = sinusoidalEncoding({ length: positions.length, dim: num_hiddens, base, positions });
    expectFixture(P, fixture.output('P'));
  });
});

describe('sinusoidalEncoding agrees with the exact oracle', () => {
  test.each(SIZES)('for width %i in both layouts', (dim) => {
    for (const layout of ['interleaved', 'concatenated'] as const) {
      for (const length of [1, 2, 7, 33]) {
        expectClose(sinusoidalEncoding({ length, dim, layout }), reference({ length, dim, layout }), EXACT);
      }
    }
  });

  test.each([255, 256, 257])('for %i rows', (length) => {
    for (const dim of [4, 7]) {
      expectClose(sinusoidalEncoding({ length, dim }), reference({ length, dim }), EXACT);
    }
  });

  test.each([1000, 65_530, 1_000_000, 9_999_990, 2 ** 24 - 33])('for positions from %i on', (offset) => {
    for (const dim of [6, 32, 65]) {
      expectClose(sinusoidalEncoding({ length: 33, dim, offset }), reference({ length: 33, dim, offset }), EXACT);
    }
  });

  test('to the last row of a long table', () => {
    const [length, dim] = [10_000, 20];
    const P = sinusoidalEncoding({ length, dim });
    expectClose(P, reference({ length, dim }), EXACT);
  });

  test('for any positions, base and width', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 24 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(2, 100, 10000, 500000, 1000000),
        fc.integer({ min: 1, max: 70 }),
        fc.constantFrom('interleaved' as const, 'concatenated' as const),
        (positions, base, dim, layout) => {
          const options = { length: positions.length, positions, base, dim, layout };
          expectClose(sinusoidalEncoding(options), reference(options), EXACT);
        },
      ),
      { seed: 1, numRuns: 150 },
    );
  });
});

describe('sinusoidalEncoding', () => {
  test('has a first row of (0, 1, 0, 1 …), and pairs of norm 1', () => {
    const P = sinusoidalEncoding({ length: 50, dim: 8 });
    expect(P.shape).toEqual([50, 8]);
    expect([...P.data.subarray(0, 8)]).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    for (let at = 0; at < P.data.length; at += 2) {
      expect(Math.abs(P.data[at]! ** 2 + P.data[at + 1]! ** 2 - 1)).toBeLessThan(2 * EPS);
    }
  });

  test('gives the tail of a longer table with an offset', () => {
    const whole = sinusoidalEncoding({ length: 300, dim: 10 });
    const tail = sinusoidalEncoding({ length: 44, dim: 10, offset: 256 });
    expectClose(tail, { data: whole.data.slice(2560), shape: [44, 10] }, { atol: EPS / 2 });
  });

  test('has the same numbers with the layout concatenated, sines first', () => {
    for (const dim of [6, 7]) {
      const interleaved = sinusoidalEncoding({ length: 9, dim }).data;
      const concatenated = sinusoidalEncoding({ length: 9, dim, layout: 'concatenated' }).data;
      const sines = Math.ceil(dim / 2);
      concatenated.forEach((x, at) => {
        const column = at % dim;
        const source = column < sines ? 2 * column : 2 * (column - sines) + 1;
        expect(x).toBe(interleaved[at - column + source]);
      });
    }
  });

  test('accepts negative positions, where sines change their sign and cosines do not', () => {
    const P = sinusoidalEncoding({ length: 2, dim: 6, positions: [5, -5] }).data;
    for (let column = 0; column < 6; ++column) {
      const sign = column % 2 === 0 ? -1 : 1;
      expect(Math.abs(P[6 + column]! - sign * P[column]!)).toBeLessThan(EPS);
    }
  });

  test('accepts length 0', () => {
    expect(sinusoidalEncoding({ length: 0, dim: 4 })).toEqual({ data: new Float32Array(0), shape: [0, 4] });
  });

  const call = (options: unknown) => () => sinusoidalEncoding(options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', call(undefined)],
    ['options null', 'TypeError', call(null)],
    ['no length', 'TypeError', call({ dim: 4 })],
    ['no dim', 'TypeError', call({ length: 4 })],
    ['length as a string', 'TypeError', call({ length: '4', dim: 4 })],
    ['a negative length', 'RangeError', call({ length: -1, dim: 4 })],
    ['a fractional length', 'RangeError', call({ length: 1.5, dim: 4 })],
    ['a NaN length', 'RangeError', call({ length: NaN, dim: 4 })],
    ['an infinite length', 'RangeError', call({ length: Infinity, dim: 4 })],
    ['dim 0', 'RangeError', call({ length: 4, dim: 0 })],
    ['a fractional dim', 'RangeError', call({ length: 4, dim: 2.5 })],
    ['base 0', 'RangeError', call({ length: 4, dim: 4, base: 0 })],
    ['a negative base', 'RangeError', call({ length: 4, dim: 4, base: -10 })],
    ['base NaN', 'RangeError', call({ length: 4, dim: 4, base: NaN })],
    ['base as a string', 'TypeError', call({ length: 4, dim: 4, base: 'e' })],
    ['offset NaN', 'RangeError', call({ length: 4, dim: 4, offset: NaN })],
    ['offset as a string', 'TypeError', call({ length: 4, dim: 4, offset: '1' })],
    ['too few positions', 'RangeError', call({ length: 4, dim: 4, positions: [1, 2, 3] })],
    ['a NaN position', 'RangeError', call({ length: 2, dim: 4, positions: [1, NaN] })],
    ['a position that is a string', 'TypeError', call({ length: 2, dim: 4, positions: [1, '2'] })],
    ['positions that are a number', 'TypeError', call({ length: 2, dim: 4, positions: 2 })],
    ['an unknown layout', 'RangeError', call({ length: 2, dim: 4, layout: 'stacked' })],
  ];
  testRejections('sinusoidalEncoding', rows, () =>
    expect([...sinusoidalEncoding({ length: 1, dim: 2 }).data]).toEqual([0, 1]),
  );
});
