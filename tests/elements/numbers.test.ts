/** Numbers as the figures write them, parsed by independent rules. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Numbers, powerOfTen } from '../../web/elements/shared/numbers.js';

/** Decimal and thousands separators, from CLDR. */
const SIGNS = { en: ['.', ','], pt: [',', '.'], ko: ['.', ','], tr: [',', '.'], id: [',', '.'] } as const;
const LANGUAGES = Object.keys(SIGNS) as (keyof typeof SIGNS)[];
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The number in a text of a language. */
function read(text: string, language: keyof typeof SIGNS): number {
  const [decimal, thousands] = SIGNS[language];
  const [factor = '', power = '⁰'] = text.split(' × 10');
  const plain = factor.replaceAll(thousands, '').replace(decimal, '.').replace('−', '-');
  const exponent = Array.from(power, (sign) => (sign === '⁻' ? '-' : SUPERSCRIPTS.indexOf(sign))).join('');
  return Number(`${plain}e${exponent}`);
}

test('powers of ten have superscript digits, without markup', () => {
  expect([0, 12, -3, -7].map(powerOfTen)).toEqual(['10⁰', '10¹²', '10⁻³', '10⁻⁷']);
});

test.each([
  ['en', 0.0421, '0.042'],
  ['en', 3.2e-7, '3.2 × 10⁻⁷'],
  ['pt', 3.2e-7, '3,2 × 10⁻⁷'],
  ['ko', -3.2e-7, '−3.2 × 10⁻⁷'],
  ['tr', 1.04e-45, '1,0 × 10⁻⁴⁵'],
  ['id', 0.000999, '1,0 × 10⁻³'],
  ['id', 0.001, '0,001'],
  ['tr', 1234.5, '1.234,500'],
  ['en', 0, '0'],
  ['en', -0, '0'],
  ['en', NaN, 'NaN'],
] as const)('in %s, %d is written %s', (language, value, text) => {
  expect(new Numbers(language).value(value)).toBe(text);
});

describe.each(LANGUAGES)('in %s', (language) => {
  const numbers = new Numbers(language);
  const values = fc.oneof(
    fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
    fc.float({ noNaN: true, min: -1, max: 1 }),
    // Uniform exponents, as in a table of small numbers.
    fc
      .tuple(fc.double({ min: 1, max: 10, maxExcluded: true, noNaN: true }), fc.integer({ min: -44, max: 0 }))
      .map(([factor, exponent]) => factor * 10 ** exponent),
  );

  test('a value reads back to within half of its last digit, and only zero as zero', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 5 }), (value, digits) => {
        const back = read(numbers.value(value, digits), language);
        const tiny = Math.abs(value) < 10 ** -digits;
        // A tiny value has two digits: half of the second is a twentieth of its power of ten. The rest is the parser's
        // rounding.
        const lastHalf = tiny ? 0.05 * 10 ** Math.floor(Math.log10(Math.abs(value))) : 0.5 * 10 ** -digits;
        expect(Math.abs(back - value)).toBeLessThanOrEqual(
          value === 0 ? 0 : lastHalf + 4 * Number.EPSILON * Math.abs(value),
        );
        expect(back === 0).toBe(value === 0);
      }),
    );
  });

  test('a number is written as Intl writes it', () => {
    // Multiples of a power of two, whose halves are exact: Intl rounds the shortest decimals of other numbers, not the
    // numbers.
    const numbers = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => n / 2 ** 20);
    fc.assert(
      fc.property(numbers, fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }), (value, digits) => {
        const options = {
          minimumFractionDigits: digits ?? 0,
          maximumFractionDigits: digits ?? 3,
          signDisplay: 'negative',
        } as const;
        const expected = new Intl.NumberFormat(language, options).format(value).replace('-', '−');
        expect(new Numbers(language).number(value, digits)).toBe(expected);
      }),
    );
  });
});
