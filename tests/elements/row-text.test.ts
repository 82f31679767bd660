import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LANGUAGES } from '../../web/elements/languages.js';
import { anew } from '../../web/elements/shared/anew.js';
import { cellText, rowText, type RowMap } from '../../web/elements/shared/heat-map/row-text.js';
import { wordsIn } from '../support/wordsIn.js';

const TOKENS = ['the', 'cat', 'sat'];

/** A map of rows, from 1, with values from zero. */
function mapOf(rows: readonly (readonly number[])[], more: Partial<RowMap> = {}): RowMap {
  const names = { rowName: 'query', columnName: 'key', origin: 1, digits: 3, low: 0 };
  return { values: rows.flat(), rows: rows.length, columns: rows[0]!.length, ...names, ...more };
}

const causal = [true, false, false, true, true, false, true, true, true];
const weights = mapOf(
  [
    [1, 0, 0],
    [0.25, 0.75, 0],
    [0.5, 0.125, 0.375],
  ],
  { rowLabels: TOKENS, columnLabels: TOKENS, mask: causal },
);
const english = await wordsIn('en');
const row = (map: RowMap, at: number): string => rowText(map, at, english);

describe('a row of attention weights', () => {
  test('says its strongest keys, what is masked because it comes later, and its entropy', () => {
    expect(row(weights, 0)).toBe('query 1 the: only key 1 the: 100%; 2 masked, coming later; entropy 0.0 bits');
    // −¼ log₂ ¼ − ¾ log₂ ¾ = 0.811 bits.
    expect(row(weights, 1)).toBe(
      'query 2 cat: strongest key 2 cat: 75%, 1 the: 25%; 1 masked, coming later; entropy 0.8 bits',
    );
    // ½ + ⅜ + (3/8) · log₂ (8/3) = 1.406 bits.
    expect(row(weights, 2)).toBe('query 3 sat: strongest key 1 the: 50%, 3 sat: 38%, 2 cat: 13%; entropy 1.4 bits');
  });

  test('names three keys at most, and counts those that are as strong as the last', () => {
    const map = mapOf([[0.4, 0.12, 0.12, 0.12, 0.12, 0.12]]);
    expect(row(map, 0)).toBe('query 1: strongest key 1: 40%, 2: 12%, 3: 12%, 3 more alike; entropy 2.4 bits');
    expect(row(mapOf([[0.25, 0.25, 0.25, 0.25]]), 0)).toBe('query 1: all 4 alike, 25% each; entropy 2.0 bits');
    const long = mapOf([Array.from({ length: 300 }, (_, i) => (i === 7 ? 1 - 299 / 400 : 1 / 400))]);
    expect(row(long, 0)).toContain('strongest key 8: 25%; entropy');
    expect(row(mapOf([Array<number>(400).fill(1 / 400)]), 0)).toContain('all 400 alike, 0.3% each; entropy 8.6 bits');
  });

  test('of a query that sees nothing says so', () => {
    const map = mapOf(
      [
        [0, 0],
        [0.5, 0.5],
      ],
      { mask: [false, false, true, true] },
    );
    expect(row(map, 0)).toBe('query 1: all masked');
    expect(
      row(
        mapOf([
          [0, 0],
          [0.5, 0.5],
        ]),
        0,
      ),
    ).toBe('query 1: all 2 alike, 0% each');
  });

  test('says that masked keys come later only if the map masks those and no others', () => {
    const rows = [
      [1, 0],
      [0.5, 0.5],
    ];
    expect(row(mapOf(rows, { mask: [1, 0, 1, 1] }), 0)).toContain('1 masked, coming later');
    expect(row(mapOf(rows, { mask: [1, 0, 1, 0] }), 0)).toContain('; 1 masked; entropy');
    expect(row(mapOf([[1, 0]], { mask: [1, 0] }), 0)).toContain('; 1 masked; entropy');
    expect(row(mapOf(rows, { validColumns: 1 }), 1)).toContain('only key 1: 50%; 1 masked; entropy');
  });
});

test('a row says in the figure’s own words what the mask hides', () => {
  const maskedText = (count: number): string => `${count} dropped`;
  const rows = [
    [2, 0, 0],
    [0, 0, 0],
  ];
  const map = mapOf(rows, { mask: [1, 0, 0, 0, 0, 0], maskedText });
  expect(row(map, 0)).toBe('query 1: only key 1: 2.000; 2 dropped');
  expect(row(map, 1)).toBe('query 2: 3 dropped');
});

describe('another row', () => {
  test('has plain values, and no entropy, unless all rows sum to 1', () => {
    expect(
      row(
        mapOf([
          [0.5, 0.5],
          [2, 1],
        ]),
        1,
      ),
    ).toBe('query 2: strongest key 1: 2.000, 2: 1.000');
    expect(
      row(
        mapOf([
          [0.5, 0.5],
          [2, 1],
        ]),
        0,
      ),
    ).toBe('query 1: all 2 alike, 0.500 each');
    expect(row(mapOf([[3, 0, 0]]), 0)).toBe('query 1: strongest key 1: 3.000');
  });

  test('of signed values says the least and the greatest', () => {
    const map = mapOf([[0.2, -0.75, 0.5]], {
      low: -1,
      origin: 0,
      rowName: 'position',
      columnName: 'column',
      digits: 2,
    });
    expect(row(map, 0)).toBe('position 0: least column 1: −0.75; greatest column 2: 0.50');
    expect(row({ ...map, values: [0, 0, 0] }, 0)).toBe('position 0: all 3 alike, 0 each');
  });

  test('leaves out what is no number, and takes −∞ as masked', () => {
    expect(row(mapOf([[NaN, NaN]]), 0)).toBe('query 1: no value');
    expect(row(mapOf([[2, -Infinity, NaN]]), 0)).toBe('query 1: only key 1: 2.000; 1 masked');
  });

  test('does not repeat a label that is its number', () => {
    const labels = ['1', '2'];
    const map = mapOf([[2, 1]], { rowLabels: labels, columnLabels: labels });
    expect(row(map, 0)).toBe('query 1: strongest key 1: 2.000, 2: 1.000');
  });
});

test('a cell says its value; a masked one that it is masked, apart from zero', () => {
  const cell = (map: RowMap, row: number, column: number): string => cellText(map, { row, column }, english);
  expect(cell(weights, 1, 0)).toBe('key 1 the: 0.250');
  expect(cell(weights, 1, 2)).toBe('key 3 sat: masked, it comes later');
  expect(cell(mapOf([[0, 1]], { mask: [1, 0] }), 0, 1)).toBe('key 2: masked');
  expect(cell(mapOf([[0, 1]]), 0, 0)).toBe('key 1: 0');
  expect(cell(mapOf([[NaN]]), 0, 0)).toBe('key 1: no value');
});

test('the same text differs from what was said before', () => {
  const said = [anew('a', '')];
  for (let i = 0; i < 3; ++i) said.push(anew('a', said.at(-1)!));
  for (const [i, text] of said.entries()) {
    expect(text.trim()).toBe('a');
    expect(text).not.toBe(said[i - 1]);
  }
});

test.each(LANGUAGES)('every row and cell has words without a gap in %s', async (language) => {
  const words = await wordsIn(language);
  expect(words.language).toBe(language);
  const value = fc.oneof(fc.constantFrom(0, 1, NaN, -Infinity), fc.double({ min: -2, max: 2, noNaN: true }));
  const cases = fc.record({
    size: fc.integer({ min: 1, max: 6 }),
    values: fc.array(value, { minLength: 36, maxLength: 36 }),
    mask: fc.option(fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }), { nil: undefined }),
    kind: fc.constantFrom('signed', 'plain', 'weights', 'causal'),
  });
  const seen = new Set<string>();
  fc.assert(
    fc.property(cases, ({ size, values, mask, kind }) => {
      const rows = Array.from({ length: size }, (_, r) => {
        const own = values
          .slice(r * size, (r + 1) * size)
          .map((each) => (kind === 'signed' || each === -Infinity ? each : Math.abs(each)));
        const finite = own.map((each, c) => (Number.isFinite(each) && (kind !== 'causal' || c <= r) ? each : 0));
        const sum = finite.reduce((total, each) => total + each, 0);
        return kind === 'signed' || kind === 'plain' || sum === 0 ? own : finite.map((each) => each / sum);
      });
      const tril = Array.from({ length: size * size }, (_, at) => at % size <= Math.floor(at / size));
      const map = mapOf(rows, { low: kind === 'signed' ? -2 : 0, mask: kind === 'causal' ? tril : mask });
      for (let r = 0; r < size; ++r) {
        const texts = [rowText(map, r, words), cellText(map, { row: r, column: size - 1 }, words)];
        for (const text of texts) {
          expect(text).toMatch(/^\S.*: .*\S$/);
          expect(text).not.toMatch(/[{}]|NaN|undefined|Infinity|∞|: ?[;:]|; ?;|: *$/);
          seen.add(text.replace(/[\d.,−%×⁻⁰¹²³⁴⁵⁶⁷⁸⁹ ]+/g, ''));
        }
      }
    }),
    { numRuns: 300 },
  );
  // The cases are no copies of one another.
  expect(seen.size).toBeGreaterThan(20);
});
