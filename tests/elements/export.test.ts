import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergedBlocks } from '../../web/elements/shared/export/blocks.js';
import { blocksOf } from '../../web/elements/shared/export/cells.js';
import { csvOf } from '../../web/elements/shared/export/csv.js';
import { shortest } from '../../web/elements/shared/numbers.js';

/** RFC 4180, read character by character. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const character = text[i] ?? '';
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[i + 1] === '"') {
        field += '"';
        ++i;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || (character === '\r' && text[i + 1] === '\n')) {
      rows.at(-1)?.push(field);
      field = '';
      if (character === '\r') {
        rows.push([]);
        ++i;
      }
    } else field += character;
  }
  rows.pop();
  return rows;
}

describe('CSV', () => {
  test('quotes cells with commas, quotes or line breaks, and no others', () => {
    expect(csvOf({ columns: ['a', 'b, c', 'say "d"'], rows: [[1, 'x\ny', -0.5]] })).toBe(
      'a,"b, c","say ""d"""\r\n1,"x\ny",-0.5\r\n',
    );
  });

  test('parses back to the same names, texts and numbers', () => {
    // Any character; the unit 'binary' does the same, but takes a second to list them all.
    const character = fc
      .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
      .map((code) => String.fromCodePoint(code));
    const cell = fc.oneof(fc.string({ unit: character }), fc.double({ noNaN: true }), fc.float({ noNaN: true }));
    const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
      fc.record({
        columns: fc.array(fc.string({ minLength: 1 }), { minLength: width, maxLength: width }),
        rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(table, ({ columns, rows }) => {
        const [head, ...body] = parseCsv(csvOf({ columns, rows }));
        expect(head).toEqual(columns);
        expect(body).toHaveLength(rows.length);
        body.forEach((row, i) =>
          row.forEach((text, j) => {
            const value = rows[i]?.[j];
            if (typeof value === 'string') expect(text).toBe(value);
            // A float32 is read back as the same float32, any other number exactly; −0 is written as 0.
            else if (Math.fround(value!) === value) expect(Math.fround(Number(text)) + 0).toBe(value + 0);
            else expect(Number(text)).toBe(value);
          }),
        );
      }),
    );
  });
});

describe('the shortest decimal of a float32', () => {
  test.each([
    [0.1, '0.1'],
    [1 / 3, '0.33333334'],
    [2 ** -149, '1e-45'],
    [3.4028234663852886e38, '3.4028235e+38'],
    [16777217, '16777216'],
    [-0.5, '-0.5'],
  ])('%d becomes %s', (value, text) => {
    expect(shortest(Math.fround(value))).toBe(text);
  });

  test('reads back as the same float32, and no shorter one does', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true, min: 2 ** -99 }), (value) => {
        const text = shortest(value);
        expect(Math.fround(Number(text))).toBe(value);
        // Whole numbers are written without rounding, because they may be counts.
        if (Number.isSafeInteger(value)) return;
        const digits = text.replace(/e.*/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
        if (digits > 1) expect(Math.fround(Number(value.toPrecision(digits - 1)))).not.toBe(value);
      }),
    );
  });

  test('of any other number is that of a float64', () => {
    expect(shortest(0.1)).toBe('0.1');
    expect(shortest(1 / 3)).toBe('0.3333333333333333');
  });
});

test('merged blocks cover every cell once, with its colour, and leave empty cells empty', () => {
  const size = fc.integer({ min: 1, max: 9 });
  const grids = fc.tuple(size, size).chain(([rows, columns]) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      indices: fc.array(fc.integer({ min: -1, max: 2 }), {
        minLength: rows * columns,
        maxLength: rows * columns,
      }),
    }),
  );
  fc.assert(
    fc.property(grids, ({ rows, columns, indices }) => {
      const covered = new Array<number>(rows * columns).fill(-1);
      for (const { x, y, width, height, index } of mergedBlocks(indices, rows, columns)) {
        for (let row = y; row < y + height; ++row) {
          for (let column = x; column < x + width; ++column) {
            expect(covered[row * columns + column]).toBe(-1);
            covered[row * columns + column] = index;
          }
        }
      }
      expect(covered).toEqual(indices);
    }),
  );
  expect(mergedBlocks(new Array<number>(60).fill(5), 6, 10)).toEqual([{ x: 0, y: 0, width: 10, height: 6, index: 5 }]);
});

test('cells of NaN and −∞ are empty in pictures', () => {
  const matrix = { values: [-Infinity, NaN, 1, 0], rows: 2, columns: 2, low: 0, high: 1 };
  const painting = { ...matrix, kind: 'cells', ramp: new Uint8ClampedArray(1024) } as const;
  const wanted = [
    { x: 0, y: 1, width: 1, height: 1, index: 255 },
    { x: 1, y: 1, width: 1, height: 1, index: 0 },
  ];
  expect(blocksOf({ ...painting, gap: [0, 0] })).toEqual(wanted);
  expect(blocksOf({ ...painting, gap: [0.1, 0.1] })).toEqual(wanted);
});
