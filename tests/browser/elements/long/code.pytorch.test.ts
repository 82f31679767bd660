/** The figures' PyTorch code computes what they show. */
import { expect, test } from '@jest/globals';
import { figures } from '../../../../web/elements/registry.js';
import { parseScripts, pythonWithTorch, runScripts } from '../../../support/python.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { EPS, from, given, type Given, type Rows, type Settings } from '../../given.js';

const { open, leave } = useBrowser();

/** All numbers of a text in order, including `nan` and `inf`. */
function numbersOf(text: string): number[] {
  const words = text.replace(/tensor|grad_fn=<\w+>/g, '').match(/-?(?:\d+\.?\d*(?:e[+-]?\d+)?|\binf\b|\bnan\b)/g) ?? [];
  return words.map((word) => Number(word.replace('inf', 'Infinity')));
}

const P = { length: 17, width: 12, base: 500, columns: [2, 5] };

/**
 * Figures whose PyTorch code uses no random numbers: settings, the printed numbers in terms of the file's rows, and the
 * tolerance. Angles reach 60 radians and are float32 in PyTorch, so sines are off by half a float32 spacing there.
 */
const ANGLE = 64 * EPS;
const SHOWN: readonly [string, Settings, (rows: Rows) => number[], number][] = [
  ['positional-curves', P, (rows) => from(rows, 1), ANGLE],
  ['positional-curves', {}, (rows) => from(rows, 1), ANGLE],
  ['positional-heatmap', P, (rows) => from(rows, 1), ANGLE],
  ['encoding-similarity', P, (rows) => from(rows, 1), 4 * ANGLE],
  ['encoding-rotation', {}, (rows) => rows.flatMap((row) => row.slice(-2)), 2 * ANGLE],
  ['encoding-rotation', { offset: -7, width: 8 }, (rows) => rows.flatMap((row) => row.slice(-2)), 2 * ANGLE],
  // It prints scores, weights and the mixture Σ α·v, which the file does not have.
  ['attention-lookup', {}, lookedUp, 16 * EPS],
  ['attention-lookup', { valid: 2, temperature: 0.4 }, lookedUp, 64 * EPS],
  ['attention-lookup', { valid: 0 }, lookedUp, 0],
  // A row of A and a row of Y.
];

function lookedUp(rows: Rows): number[] {
  const column = (index: number): number[] => rows.map((row) => row[index] ?? NaN);
  const weights = column(4);
  const mixed = [5, 6].map((c) => column(c).reduce((sum, value, i) => sum + (weights[i] ?? NaN) * value, 0));
  // −∞ is empty in the file, and printed by PyTorch.
  return [...column(3), ...weights, ...mixed];
}

/** Without PyTorch, only the syntax is checked. */
test('the PyTorch code is valid Python, and with PyTorch it prints what the figures show', async () => {
  const all: string[] = [];
  const shown: { name: string; given: Given; wanted: (rows: Rows) => number[]; tolerance: number }[] = [];
  for (const tag of Object.keys(figures)) {
    const cases = SHOWN.filter(([name]) => name === tag);
    const { page, figure } = await openAlone(open, tag);
    const found = await given(figure, cases.length === 0 ? [{}] : cases.map(([, settings]) => settings));
    await leave(page);
    all.push(...found.map(({ pytorch }) => pytorch));
    cases.forEach(([, settings, wanted, tolerance], i) => {
      const name = `${tag} ${JSON.stringify(settings)}`;
      shown.push({ name, given: found[i]!, wanted, tolerance });
    });
  }
  expect(shown.length).toBe(SHOWN.length);
  expect(parseScripts(all)).toEqual(all.map(() => ''));

  const python = pythonWithTorch();
  if (python === undefined) return;
  const printed = runScripts(
    python,
    shown.map(({ given }) => given.pytorch),
  );
  const wrong = shown.flatMap(({ name, given, wanted, tolerance }, i) => {
    const [numbers, exact] = [numbersOf(printed[i] ?? ''), wanted(given.rows)];
    const off = numbers.map((value, k) => (Object.is(value, exact[k]) ? 0 : Math.abs(value - (exact[k] ?? NaN))));
    const most = Math.max(...off);
    return numbers.length === exact.length && most <= tolerance ? [] : [{ name, most, printed: printed[i] }];
  });
  expect(wrong).toEqual([]);
}, 240_000);
