import { describe, expect, test } from '@jest/globals';
import { formulaCode } from '../../web/elements/attention-formula/code.js';
import { attend, denoted, SYMBOLS, symbolsAt, TOKENS, WIDTH, X } from '../../web/elements/attention-formula/symbols.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const tokens = Array.from({ length: TOKENS }, (_, t) => t);

describe('symbols', () => {
  test('highlight the rows and cells that they denote', () => {
    expect(denoted('y', 1)).toEqual([
      { matrix: 'Y', row: 1 },
      { matrix: 'A', row: 1 },
    ]);
    expect(denoted('a3', 1)).toEqual([{ matrix: 'A', row: 1, column: 2 }]);
    expect(denoted('v4', 0)).toEqual([{ matrix: 'X', row: 3 }]);
  });

  test('are highlighted by the rows and cells that they denote', () => {
    // Row 2 of X is the query of y_2, and a key and a value of every output.
    expect(symbolsAt('X', 1, 5, 1)).toEqual(['q', 'k2', 'v2']);
    expect(symbolsAt('X', 2, 0, 1)).toEqual(['k3', 'v3']);
    expect(symbolsAt('A', 1, 2, 1)).toEqual(['y', 'q', 'k3', 'a3']);
    expect(symbolsAt('A', 0, 2, 1)).toEqual([]);
    expect(symbolsAt('Y', 1, 0, 1)).toEqual(['y']);
  });

  test('denote something inside the matrices, whatever the query', () => {
    for (const i of tokens) {
      for (const symbol of SYMBOLS) {
        const areas = denoted(symbol, i);
        expect(areas).not.toEqual([]);
        for (const { matrix, row, column = 0 } of areas) {
          expect(row).toBeLessThan(TOKENS);
          expect(column).toBeLessThan(TOKENS);
          expect(symbolsAt(matrix, row, column, i)).toContain(symbol);
        }
      }
    }
  });
});

test('the weights and outputs are those of the formula', () => {
  const { A, Y } = attend(attention);
  for (const i of tokens) {
    const dot = (j: number): number => X[i]!.reduce((sum, value, c) => sum + value * X[j]![c]!, 0);
    const powers = tokens.map((j) => Math.exp(dot(j) / Math.sqrt(WIDTH)));
    const sum = powers.reduce((a, b) => a + b, 0);
    // Scores stay below 8 and are off by a few float32 spacings there, and so are the weights, relatively.
    const error = 16 * 8 * 2 ** -24;
    tokens.forEach((j) => expect(Math.abs((A[i * TOKENS + j] ?? NaN) - (powers[j] ?? NaN) / sum)).toBeLessThan(error));
    for (let c = 0; c < WIDTH; ++c) {
      const mixed = tokens.reduce((total, j) => total + ((powers[j] ?? NaN) / sum) * X[j]![c]!, 0);
      expect(Math.abs((Y[i * WIDTH + c] ?? NaN) - mixed)).toBeLessThan(16 * error);
    }
  }
});

test.each([1, 4])('the code prints the weights and the output of query %i', async (i) => {
  const { A, Y } = attend(attention);
  const lines = await runModule(formulaCode(i).javascript);
  expect(lines.map((line) => line.split(' ').map(Number))).toEqual([
    [...A.subarray((i - 1) * TOKENS, i * TOKENS)],
    [...Y.subarray((i - 1) * WIDTH, i * WIDTH)],
  ]);
});
