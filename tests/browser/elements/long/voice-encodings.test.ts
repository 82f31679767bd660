/** What figures of encodings, orders, paths, depth and dropout say to those who do not see them. */
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { attention, complexity } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { csvOf } from '../../shown.js';

const { open } = useBrowser();

/** What the figure says that it shows. */
const described = (figure: Locator): Promise<string> =>
  figure.evaluate((element) => element.shadowRoot!.getElementById('shown')!.textContent.replace(/\s+/g, ' ').trim());

/** The weights of the last draw, which is the first map. */
const drawnIn = (figure: Locator): Promise<number[]> =>
  figure.evaluate((element) => {
    const { values } = element.shadowRoot!.querySelector('heat-map') as unknown as { values: ArrayLike<number> };
    return Array.from(values);
  });

const change = (figure: Locator, settings: Readonly<Record<string, unknown>>): Promise<void> =>
  figure.evaluate((element, settings) => (element as FigureElement).change(settings), settings);

/** The figure's settings. */
const settingsOf = (figure: Locator): Promise<Settings> =>
  figure.evaluate((element) => {
    const names = Object.keys((element as FigureElement).settings);
    return Object.fromEntries(names.map((name) => [name, (element as unknown as Settings)[name]]));
  });

type Settings = Readonly<Record<string, unknown>>;

/** Settings of figures of P. */
interface OfP {
  readonly length: number;
  readonly width: number;
  readonly base: number;
  readonly columns: readonly number[];
}

/** The numbers of the saved row that begins with this one. */
async function rowOf(figure: Locator, first: number): Promise<number[]> {
  const { rows } = await csvOf(figure);
  return rows.find(([head]) => head === String(first))!.map(Number);
}

/** A value as figures write it. */
function written(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 1e-3) return value.toFixed(3).replace('-', '−');
  const [factor, exponent = ''] = value.toExponential(1).split('e');
  return `${factor} × 10${exponent.replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!)}`;
}

/** A number with up to three decimals. */
const short = (value: number): string => String(Number(value.toFixed(3))).replace('-', '−');

/** The rows of P. */
function rowsOf({ length, width, base }: OfP): number[][] {
  const { data } = attention.sinusoidalEncoding({ length, dim: width, base });
  return Array.from({ length }, (_, i) => [...data.subarray(i * width, (i + 1) * width)]);
}

/** The period of each pair's columns. */
function periods({ columns, length, width, base }: OfP): string {
  let text = '';
  columns.forEach((column, at) => {
    const isLast = column >> 1 !== (columns[at + 1] ?? NaN) >> 1 || at === columns.length - 1;
    const period = 2 * Math.PI * base ** ((2 * (column >> 1)) / width);
    text += isLast ? `${column}: ${period.toFixed(1)}; ` : `${column}, `;
  });
  return `${length} positions. Periods of the columns: ${text.slice(0, -2)}.`;
}

/** Settings of each figure, and what it says with them, or a part of it. */
const CASES: Readonly<
  Record<string, readonly [readonly Settings[], (all: Settings, figure: Locator) => string | Promise<string>]>
> = {
  'attention-dropout': [
    [{}, { draws: 40 }, { rate: 0.3 }],
    async ({ draws }, figure) => {
      const [n, error = NaN] = await rowOf(figure, Number(draws));
      const drawn = await drawnIn(figure);
      const sums = Array.from({ length: 6 }, (_, i) => drawn.slice(6 * i, 6 * i + 6).reduce((a, b) => a + b, 0));
      const list = sums.map((sum) => sum.toFixed(2)).join('; ');
      return `Row sums of this draw: ${list}. Root mean square error of the mean output, N = ${n}: ${error.toFixed(4)}.`;
    },
  ],
  'depth-collapse': [
    [{ depth: 0 }, { depth: 9 }, { signal: 'positions' }],
    async ({ depth }, figure) => {
      const [, ...values] = (await rowOf(figure, Number(depth))).map(written);
      const names = ['attention alone', 'with residuals', 'post-norm', 'pre-norm'];
      return `at depth ${String(depth)}: ${names.map((name, at) => `${name} ${values[at]}`).join('; ')}`;
    },
  ],
  'permutation-demo': [
    [{ order: [1, 2, 3, 5, 4] }, { causal: true }, { order: [5, 4, 3, 2, 1], positions: true }],
    async ({ causal }, figure) => {
      const { rows } = await csvOf(figure);
      const differences = rows.map((row) => Number(row.at(-1)));
      const tokens = rows.map((row) => row[1]).join(' ');
      const most = written(Math.max(...differences));
      const changed = differences.filter((difference) => difference > 1e-3).length;
      return causal === true
        ? `${tokens}: ${changed} of 5 outputs do not just move with their tokens, they change, by up to ${most}.`
        : `${tokens}: up to rounding (at most ${most}), every token gets the same output as before`;
    },
  ],
  'path-lengths': [
    [{}, { kernel: 5 }, { from: 2, layers: 1 }],
    (all) => {
      const [from, to, kernel, layers] = [all.from, all.to, all.kernel, all.layers].map(Number) as [
        number,
        number,
        number,
        number,
      ];
      const [cnn = NaN, rnn, own] = (['cnn', 'rnn', 'self-attention'] as const).map(
        (each) => complexity(each, { n: to - from + 1, d: 1, k: kernel }).maximumPathLength,
      );
      const rest = `${rnn} in the RNN and ${own} in self-attention.`;
      return cnn > layers
        ? `Tokens ${from} and ${to} do not meet in the CNN: with this kernel that takes ${cnn} layers, and it has ` +
            `${layers}. The path has length ${rest}`
        : `Between tokens ${from} and ${to} the shortest path has length ${cnn} in the CNN, ${rest}`;
    },
  ],
  'positional-curves': [
    [{}, { columns: [0, 2, 3], base: 100 }, { length: 20, width: 12 }],
    (all) => periods(all as unknown as OfP),
  ],
  'positional-heatmap': [
    [{}, { width: 4, columns: [0, 1] }, { length: 200, base: 50 }],
    (given) => {
      const all = given as unknown as OfP;
      const rows = rowsOf(all);
      const distances = rows.map((row) => Math.hypot(...row.map((x, c) => x - rows[0]![c]!)));
      const far = Math.min(...distances.slice(2));
      return (
        `${periods(all)} Besides neighbours, the most alike are positions ${distances.indexOf(far)} apart: ` +
        `distance ${short(far)}; neighbours: ${short(distances[1]!)}.`
      );
    },
  ],
  'encoding-similarity': [
    [{}, { length: 12 }, { base: 50, width: 16 }],
    (given) => {
      const all = given as unknown as OfP;
      const rows = rowsOf(all);
      const products = rows.map((row) => row.reduce((sum, x, c) => sum + x * rows[0]![c]!, 0) / (all.width / 2));
      const least = Math.min(...products);
      return (
        `The product of neighbours is ${short(products[1]!)}; the least is ${short(least)}, ` +
        `of positions ${products.indexOf(least)} apart.`
      );
    },
  ],
  'binary-positions': [
    [{}, { rows: 64, width: 8 }, { frequencies: 'paper' }],
    ({ rows, width, frequencies }) => {
      const pairs = Number(width) / 2;
      const bits = (Number(rows) - 1).toString(2).length;
      const ratio = frequencies === 'paper' ? 10000 ** (1 / pairs) : 2;
      const last = Math.round(2 * Math.PI * ratio ** (pairs - 1)).toLocaleString('en');
      return (
        `${bits} bits with periods of 2 to ${2 ** bits}, ${pairs} sines with periods of 6 to ${last}. Each bit is ` +
        `slower than the one to its right by a factor of 2, each sine by a factor of ${Number(ratio.toFixed(2))}.`
      );
    },
  ],
};
const TAGS = Object.keys(CASES);

test.each(TAGS)('%s says what comes of its settings', async (tag) => {
  const { page, figure } = await openAlone(open, tag);
  const [settings, expected] = CASES[tag]!;
  const said = new Set<string>();
  for (const each of settings) {
    await change(figure, each);
    // Draws of dropout take some frames.
    await page.waitForTimeout(300);
    const text = await described(figure);
    expect(text).toContain(await expected(await settingsOf(figure), figure));
    said.add(text);
  }
  expect(said.size).toBe(settings.length);
});

/** A slider, a radio button or a check box of each figure, and a key that changes it. */
const KEYS: Readonly<Record<string, readonly [label: string, key: string]>> = {
  'attention-dropout': ['Draws N', 'ArrowLeft'],
  'depth-collapse': ['Depth', 'ArrowRight'],
  'permutation-demo': ['causal mask', 'Space'],
  'path-lengths': ['Kernel size k', 'ArrowRight'],
  'positional-curves': ['Columns', 'ArrowRight'],
  'positional-heatmap': ['Base', 'ArrowLeft'],
  'encoding-similarity': ['Width d', 'ArrowRight'],
  'binary-positions': ['Positions', 'ArrowRight'],
};

test.each(Object.entries(KEYS))('%s says it once after a key, and after Reset', async (tag, [label, key]) => {
  const { page, figure } = await openAlone(open, tag);
  await figure.getByLabel(label, { exact: true }).focus();
  for (const act of [
    () => page.keyboard.press(key),
    () => figure.getByRole('button', { name: 'Reset' }).press('Enter'),
  ]) {
    const said = await heard(page, act);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(await described(figure));
  }
});

test('after more draws, the error is told with the one before', async () => {
  const { page, figure } = await openAlone(open, 'attention-dropout');
  const [, before = NaN] = await rowOf(figure, 200);
  const said = await heard(page, () => change(figure, { draws: 800 }));
  const [, after = NaN] = await rowOf(figure, 800);
  expect(said).toEqual([expect.stringMatching(`N = 800: ${after.toFixed(4)}\\. Before: ${before.toFixed(4)}\\.$`)]);
});

test('a map of dropout tells a dropped weight from zero', async () => {
  const { page, figure } = await openAlone(open, 'attention-dropout');
  const { texts, weights } = await figure.evaluate((element) => {
    const [draw, ...others] = [...element.shadowRoot!.querySelectorAll('heat-map')].map(
      (map) =>
        map as unknown as {
          values: ArrayLike<number>;
          cellText: (cell: { row: number; column: number }) => string;
        },
    );
    const texts = Array.from(draw!.values, (_, i) => draw!.cellText({ row: Math.floor(i / 6), column: i % 6 }));
    return { texts, weights: [draw!, ...others].map(({ values }) => Array.from(values)) };
  });
  const [drawn, mean, evaluation] = weights as [number[], number[], number[]];
  expect(drawn.filter((weight) => weight === 0).length).toBeGreaterThan(5);
  await figure.locator('heat-map .plot').first().focus();
  const dropped = drawn.slice(6, 12).filter((weight) => weight === 0).length;
  const [row] = await heard(page, () => page.keyboard.press('ArrowDown'));
  expect(row).toMatch(new RegExp(`^query 2: .*\\b${dropped} dropped$`));
  expect(texts).toEqual(
    drawn.map(
      (weight, i) =>
        `Query ${Math.floor(i / 6) + 1}, key ${(i % 6) + 1}: in this draw ${weight === 0 ? 'dropped' : written(weight)}, ` +
        `mean ${written(mean[i]!)}, in evaluation ${written(evaluation[i]!)}`,
    ),
  );
});

test('a move of a token is told once, and so is a goal that it reaches', async () => {
  const { page, figure } = await openAlone(open, 'permutation-demo');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await figure.getByRole('button', { name: 'Original order' }).press('Enter');
  await figure.getByLabel('causal mask').check();
  await page.waitForTimeout(600);
  await figure.getByRole('button', { name: 'Move “bit” (place 3) down' }).focus();
  const said = await heard(page, () => page.keyboard.press('ArrowDown'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^reached: .*reached: .* the dog the bit man: 2 of 5 outputs .* Order matters now\.$/);
});

test('of a group, only the figure that the reader changed speaks', async () => {
  const tags = ['positional-curves', 'positional-heatmap', 'encoding-similarity'];
  const page = await open({ path: `/en/${tags.join('+')}`, figures: tags });
  const curves = page.locator('positional-curves');
  const said = await heard(page, () => curves.getByLabel('Length n').press('ArrowRight'));
  expect(await page.locator('encoding-similarity').getByLabel('Length n').inputValue()).toBe('61');
  expect(said).toEqual([await described(curves)]);
});

test('Enter in the map tells which columns are drawn, and the last one stays', async () => {
  const { page, figure } = await openAlone(open, 'positional-heatmap');
  await change(figure, { columns: [0] });
  await figure.locator('heat-map .plot').focus();
  await page.waitForTimeout(600);
  for (let press = 0; press < 2; ++press) {
    expect(await heard(page, () => page.keyboard.press('Enter'))).toEqual([await described(figure)]);
    expect((await settingsOf(figure)).columns).toEqual([0]);
  }
  await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(600);
  expect(await heard(page, () => page.keyboard.press('Enter'))).toEqual([await described(figure)]);
  expect(await described(figure)).toContain('columns: 0, 1: 6.3.');
});

/** Pictures that are read by keys: the slider's name, keys, and where they lead. */
const READ: readonly [tag: string, name: RegExp, keys: readonly (readonly [key: string, place: number])[]][] = [
  [
    'positional-curves',
    /^Columns 6/,
    [
      ['ArrowRight', 1],
      ['PageUp', 7],
      ['End', 59],
      ['ArrowLeft', 58],
      ['Home', 0],
    ],
  ],
  [
    'binary-positions',
    /^The numbers/,
    [
      ['ArrowDown', 1],
      ['ArrowUp', 0],
      ['PageDown', 10],
      ['End', 31],
      ['Home', 0],
    ],
  ],
  [
    'length-extrapolation',
    /^Accuracy/,
    [
      ['ArrowRight', 64],
      ['End', 256],
      ['ArrowLeft', 224],
      ['Home', 32],
    ],
  ],
  [
    'position-training',
    /^Accuracy/,
    [
      ['ArrowRight', 20],
      ['End', 400],
      ['ArrowLeft', 390],
      ['Home', 10],
    ],
  ],
];

test.each(READ)(
  'the picture of %s is one tab stop, read by keys without a word of its own',
  async (tag, name, keys) => {
    const { page, figure } = await openAlone(open, tag);
    const plot = figure.getByRole('slider', { name });
    expect(await figure.locator('.readable [tabindex], .readable input').count()).toBe(1);
    const { rows } = await csvOf(figure);
    await plot.focus();
    for (const [key, place] of keys) {
      expect(await heard(page, () => plot.press(key))).toEqual([]);
      const text = (await plot.getAttribute('aria-valuetext'))!;
      expect(text.replaceAll(',', '')).toMatch(new RegExp(`^\\D*${place}:`));
      if (tag === 'positional-curves') {
        for (const value of rows[place]!.slice(1)) expect(text).toContain(written(Number(value)));
      } else if (tag === 'binary-positions') {
        expect(text).toContain(`bits ${rows[place]!.slice(1, 6).join('')}, signs ${rows[place]!.slice(6).join(' ')}`);
      } else if (tag === 'length-extrapolation') {
        const values = rows
          .find(([length]) => Number(length) === place)!
          .slice(1)
          .filter((value) => value !== '');
        expect(text.match(/\d+%/g)).toEqual(values.map((value) => `${Math.round(100 * Number(value))}%`));
      } else {
        expect(text.match(/\d+%/g)).toHaveLength(6);
      }
      // Who sees the picture sees the place.
      if (tag !== 'binary-positions') await figure.locator('.reading, .cursor-line').waitFor({ state: 'attached' });
    }
    const { outlineStyle } = await figure.locator('.readable').evaluate((element) => getComputedStyle(element));
    expect(outlineStyle).toBe('solid');
  },
);
