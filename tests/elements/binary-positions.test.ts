import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { binaryCode } from '../../web/elements/binary-positions/code.js';
import { baseOfHalves, bitsOf, signsOf, writtenSign } from '../../web/elements/binary-positions/signs.js';
import { periodOf } from '../../web/elements/shared/encoding/period.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

test('bits are those of the number, as many as the last one needs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 64 }), (rows) => {
      const { bits, columns } = bitsOf(rows);
      expect(columns).toBe((rows - 1).toString(2).length);
      const numbers = Array.from({ length: rows }, (_, i) =>
        parseInt([...bits.subarray(i * columns, (i + 1) * columns)].join(''), 2),
      );
      expect(numbers).toEqual(Array.from({ length: rows }, (_, i) => i));
    }),
  );
});

test('signs are those of the sines, slowest first', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 64 }),
      fc.integer({ min: 2, max: 16 }),
      fc.constantFrom(10000, 2, 100),
      (rows, pairs, base) => {
        const dim = 2 * pairs;
        const P = attention.sinusoidalEncoding({ length: rows, dim, base }).data;
        const { signs, columns } = signsOf(P, rows, dim);
        expect(columns).toBe(pairs);
        const wrong = Array.from({ length: rows * pairs }, (_, at) => at).filter((at) => {
          const [i, k] = [Math.floor(at / pairs), at % pairs];
          const sine = Math.sin(i * base ** ((-2 * (pairs - 1 - k)) / dim));
          // A sine this close to zero may round to either side.
          return (i === 0 || Math.abs(sine) > 1e-6) && !Object.is(signs[at], Math.sign(sine));
        });
        expect(wrong).toEqual([]);
      },
    ),
  );
});

test('a sine repeats after its period, and halved frequencies double it from pair to pair', () => {
  for (const dim of [4, 16, 32]) {
    expect(periodOf(0, dim, 10000)).toBeCloseTo(2 * Math.PI, 12);
    for (let j = 1; j < dim / 2; ++j) {
      const base = baseOfHalves(dim);
      expect(periodOf(j, dim, base) / periodOf(j - 1, dim, base)).toBeCloseTo(2, 12);
    }
  }
});

test('a sine of zero has no sign', () => {
  expect([1, 0, -1].map(writtenSign)).toEqual(['+', '0', '−']);
});

test('the code prints the same bits and signs', async () => {
  const [rows, dim] = [11, 12];
  const { bits, columns } = bitsOf(rows);
  const { signs } = signsOf(attention.sinusoidalEncoding({ length: rows, dim }).data, rows, dim);
  const row = (i: number): string => {
    const own = [...signs.subarray((i * dim) / 2, ((i + 1) * dim) / 2)];
    const digits = [...bits.subarray(i * columns, (i + 1) * columns)].join('');
    return `${digits} ${own.map(writtenSign).join('')}`;
  };
  expect(await runModule(binaryCode(rows, dim, 10000).javascript)).toEqual(
    Array.from({ length: rows }, (_, i) => row(i)),
  );
});

test.each([32, 60, 64])(
  'with halved frequencies %d signs of a column agree with a bit about as often as not',
  (rows) => {
    const dim = 32;
    const P = attention.sinusoidalEncoding({ length: rows, dim, base: baseOfHalves(dim) }).data;
    const { bits, columns } = bitsOf(rows);
    const { signs, columns: pairs } = signsOf(P, rows, dim);
    let agreeing = 0;
    for (let i = 0; i < rows; ++i)
      for (let bit = 0; bit < columns; ++bit)
        if ((bits[i * columns + columns - 1 - bit] === 1) === (signs[i * pairs + pairs - 1 - bit] === 1)) ++agreeing;
    expect(Math.abs(agreeing / (rows * columns) - 0.5)).toBeLessThan(0.05);
    // The fastest sine is slower than the last bit, which repeats after two positions.
    expect(periodOf(0, dim, baseOfHalves(dim))).toBeCloseTo(6.3, 1);
  },
);

test('sin(π(i + 1/2)/2^b) is negative exactly where bit b is one', () => {
  for (let i = 0; i < 64; ++i)
    for (let b = 0; b < 6; ++b) expect(Math.sin((Math.PI * (i + 0.5)) / 2 ** b) < 0).toBe(((i >> b) & 1) === 1);
});
