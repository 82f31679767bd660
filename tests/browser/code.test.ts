/**
 * The code that figures give computes what they show: the JavaScript of those whose code is a part of their elements (the others
 * are tested in tests/page), and the PyTorch code of all.
 */
import { describe, expect, test } from '@jest/globals';
import { registry } from '../../web/elements/registry.js';
import { runModule } from '../support/runModule.js';
import { parseScripts, pythonWithTorch, runScripts } from '../support/python.js';
import { openAlone } from './alone.js';
import { useBrowser } from './browser.js';
import { codeOf, csvOf } from './shown.js';

const { open, leave } = useBrowser();
const EPS = 2 ** -24;

type Settings = Readonly<Record<string, unknown>>;
type Rows = readonly (readonly number[])[];
interface Given {
  readonly javascript: string;
  readonly pytorch: string;
  /** The rows of the figure's file, as numbers. */
  readonly rows: Rows;
}

/** What a figure shows and gives with each of these settings, one after the other. */
async function given(tag: string, all: readonly Settings[]): Promise<Given[]> {
  const { page, figure } = await openAlone(open, tag);
  const found: Given[] = [];
  for (const settings of all) {
    await figure.evaluate((element, change) => {
      const changing = element as HTMLElement & { reset(): void; change(settings: unknown): void };
      changing.reset();
      changing.change(change);
    }, settings);
    const code = await codeOf(figure);
    const { rows } = await csvOf(figure);
    found.push({ ...code, rows: rows.map((row) => row.map(Number)) });
  }
  await leave(page);
  return found;
}

async function givenOnce(tag: string, settings: Settings): Promise<Given> {
  const [only] = await given(tag, [settings]);
  if (only === undefined) throw new Error(`${tag} gave nothing`);
  return only;
}

/** All numbers of a text, in their order; tensors' `nan` and `inf` among them. */
function numbersOf(text: string): number[] {
  const words =
    text.replace(/tensor|grad_fn=<\w+>/g, '').match(/-?(?:\d+\.?\d*(?:e[+-]?\d+)?|\binf\b|\bnan\b)/g) ?? [];
  return words.map((word) => Number(word.replace('inf', 'Infinity')));
}

function expectNear(found: readonly number[], wanted: readonly number[], tolerance: number): void {
  expect(found.length).toBe(wanted.length);
  expect(found.length).toBeGreaterThan(0);
  found.forEach((value, i) => expect(Math.abs(value - (wanted[i] ?? NaN))).toBeLessThanOrEqual(tolerance));
}

/** Columns `from` and on of the rows, row by row. */
const from = (rows: Rows, column: number): number[] => rows.flatMap((row) => row.slice(column));

/** A sum of `width` products of numbers up to one is off by at most this in float32. */
const dotError = (width: number): number => width * EPS;

const P = { length: 17, width: 12, base: 500, columns: [2, 5] };

describe('JavaScript', () => {
  test.each([
    // Rows as the library gives them, to the last bit.
    ['positional-curves', P, 0],
    ['positional-curves', {}, 0],
    ['positional-heatmap', P, 0],
    ['positional-heatmap', {}, 0],
    ['attention-heads', { input: 'random', seed: 5, validLens: [4, 0] }, 0],
    ['attention-heads', { lengths: 'query', input: 'random' }, 0],
    // Summed in float64 here, in float32 there.
    ['encoding-similarity', P, dotError(12)],
    ['encoding-similarity', {}, dotError(32)],
  ] as const)('%s with %j prints the rows of its file', async (tag, settings, tolerance) => {
    const { javascript, rows } = await givenOnce(tag, settings);
    const lines = await runModule(javascript);
    const printed = lines.map((line) => line.split(' ').map(Number));
    expect(printed.map((row) => row.length)).toEqual(rows.map((row) => row.length));
    expectNear(printed.flat().map(Math.fround), rows.flat().map(Math.fround), tolerance);
  });

  test.each([{}, { offset: -30, position: 59, width: 32 }])(
    'encoding-rotation with %j prints the turned pairs',
    async (settings) => {
      const { javascript, rows } = await givenOnce('encoding-rotation', settings);
      const lines = await runModule(javascript);
      // The same products of the same float32 numbers, in float64 both.
      expectNear(
        lines.join(' ').split(' ').map(Number),
        from(
          rows.map((row) => row.slice(-2)),
          0,
        ),
        2 ** -50,
      );
    },
  );
});

/**
 * The figures whose PyTorch code draws nothing of its own: settings, the numbers of what it prints in terms of the file's rows, and
 * how far they may be from these. Angles reach 60 radians and are float32 in PyTorch, so sines are off by half a spacing there.
 */
const ANGLE = 64 * EPS;
const SHOWN: readonly [string, Settings, (rows: Rows) => number[], number][] = [
  ['positional-curves', P, (rows) => from(rows, 1), ANGLE],
  ['positional-curves', {}, (rows) => from(rows, 1), ANGLE],
  ['positional-heatmap', P, (rows) => from(rows, 1), ANGLE],
  ['encoding-similarity', P, (rows) => from(rows, 1), 4 * ANGLE],
  ['encoding-rotation', {}, (rows) => rows.flatMap((row) => row.slice(-2)), 2 * ANGLE],
  ['encoding-rotation', { offset: -7, width: 8 }, (rows) => rows.flatMap((row) => row.slice(-2)), 2 * ANGLE],
  ['attention-heads', {}, (rows) => from(rows, 3), 4 * EPS],
  ['attention-heads', { lengths: 'query', queryLens: [1, 2, 3, 4, 1, 2, 2, 1] }, (rows) => from(rows, 3), 4 * EPS],
  // It prints scores, weights and the mixture, which the file has not: Σ α·v.
  ['attention-lookup', {}, lookedUp, 16 * EPS],
  ['attention-lookup', { valid: 2, temperature: 0.4 }, lookedUp, 64 * EPS],
  ['attention-lookup', { valid: 0 }, lookedUp, 0],
  // A row of A and one of Y.
  ['attention-formula', {}, (rows) => (rows[1] ?? []).slice(1), 64 * EPS],
  ['attention-formula', { query: 4 }, (rows) => (rows[3] ?? []).slice(1), 64 * EPS],
]; // prettier-ignore

function lookedUp(rows: Rows): number[] {
  const column = (index: number): number[] => rows.map((row) => row[index] ?? NaN);
  const weights = column(4);
  const mixed = [5, 6].map((c) => column(c).reduce((sum, value, i) => sum + (weights[i] ?? NaN) * value, 0));
  // The file has no number for −∞; PyTorch prints it as such.
  return [...column(3), ...weights, ...mixed];
}

/** Without PyTorch there is still the grammar to check; with it, every script must run and print what is shown. */
test('the PyTorch code is Python, and with PyTorch it prints what the figures show', async () => {
  const all: string[] = [];
  const shown: { name: string; given: Given; wanted: (rows: Rows) => number[]; tolerance: number }[] = [];
  for (const tag of Object.keys(registry)) {
    const cases = SHOWN.filter(([name]) => name === tag);
    const found = await given(tag, cases.length === 0 ? [{}] : cases.map(([, settings]) => settings));
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
    const off = numbers.map((value, k) =>
      Object.is(value, exact[k]) ? 0 : Math.abs(value - (exact[k] ?? NaN)),
    );
    const most = Math.max(...off);
    return numbers.length === exact.length && most <= tolerance ? [] : [{ name, most, printed: printed[i] }];
  });
  expect(wrong).toEqual([]);
}, 240_000);
