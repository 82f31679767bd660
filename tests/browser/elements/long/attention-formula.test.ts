import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { denoted, SYMBOLS, TOKENS, WIDTH, X } from '../../../../web/elements/attention-formula/symbols.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf, tableOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-formula', options);
const map = (figure: Locator, matrix: string): Locator => figure.locator(`heat-map[data-matrix=${matrix}]`);
const symbol = (figure: Locator, name: string): Locator => figure.locator(`button[data-symbol=${name}]`).first();

/** The highlighted symbols, which have a box; each once. */
async function lit(figure: Locator): Promise<string[]> {
  const all = await figure
    .locator('button[data-symbol]')
    .evaluateAll((buttons) =>
      buttons
        .filter((button) => getComputedStyle(button).borderTopColor !== 'rgba(0, 0, 0, 0)')
        .map((button) => (button as HTMLElement).dataset.symbol ?? ''),
    );
  return [...new Set(all)].sort();
}

/** The framed rows and cells of the maps. */
const framed = (figure: Locator): Promise<unknown[]> =>
  figure
    .locator('heat-map')
    .evaluateAll((maps) => maps.flatMap((each) => (each as HTMLElement & { marked: unknown[] }).marked));

/** A and Y in float64, straight from the formula. */
function attend(): { A: number[][]; Y: number[][] } {
  const A = X.map((query) => {
    const powers = X.map((key) =>
      Math.exp(query.reduce((sum, value, c) => sum + value * (key[c] ?? NaN), 0) / Math.sqrt(WIDTH)),
    );
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  });
  const Y = A.map((weights) =>
    Array.from({ length: WIDTH }, (_, c) => weights.reduce((y, w, j) => y + w * (X[j]?.[c] ?? NaN), 0)),
  );
  return { A, Y };
}

describe('attention-formula', () => {
  test('a symbol highlights what it denotes, under the pointer and with the focus', async () => {
    const { page, figure } = await alone();
    for (const query of [2, 4]) {
      await figure.getByRole('radio', { name: String(query), exact: true }).check();
      for (const name of SYMBOLS) {
        const wanted = denoted(name, query - 1);
        await symbol(figure, name).hover();
        expect(await framed(figure)).toEqual(expect.arrayContaining([...wanted]));
        expect((await framed(figure)).length).toBe(wanted.length);
        expect(await lit(figure)).toEqual([name]);
      }
      await page.mouse.move(0, 0);
      await symbol(figure, 'v4').focus();
      expect(await framed(figure)).toEqual(denoted('v4', query - 1));
      await page.keyboard.press('Tab');
    }
  });

  test('a pressed symbol stays highlighted when the pointer leaves, until it is pressed again', async () => {
    const { page, figure } = await alone();
    expect(await lit(figure)).toEqual(['k3']);
    await symbol(figure, 'a1').press('Enter');
    await symbol(figure, 'a1').blur();
    expect(await lit(figure)).toEqual(['a1']);
    expect(await symbol(figure, 'a1').getAttribute('aria-pressed')).toBe('true');
    await symbol(figure, 'y').hover();
    expect(await lit(figure)).toEqual(['y']);
    await page.mouse.move(0, 0);
    expect(await lit(figure)).toEqual(['a1']);
    await symbol(figure, 'a1').press('Space');
    await symbol(figure, 'a1').blur();
    expect([await lit(figure), await framed(figure)]).toEqual([[], []]);
  });

  test('a cell highlights the symbols that denote it, under the pointer and with keys', async () => {
    const { page, figure } = await alone();
    const cell = async (matrix: string, row: number, column: number): Promise<void> => {
      const box = await map(figure, matrix).locator('canvas.cells').boundingBox();
      const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
      const columns = matrix === 'A' ? TOKENS : WIDTH;
      await page.mouse.move(x + ((column + 0.5) * width) / columns, y + ((row + 0.5) * height) / TOKENS);
    };
    await cell('X', 1, 4);
    expect(await lit(figure)).toEqual(['k2', 'q', 'v2']);
    await cell('A', 1, 3);
    expect(await lit(figure)).toEqual(['a4', 'k4', 'q', 'y']);
    expect(await figure.locator('.readout').innerText()).toContain('A₂₄');
    await cell('A', 0, 3);
    expect(await lit(figure)).toEqual([]);
    await cell('Y', 1, 0);
    expect(await lit(figure)).toEqual(['y']);
    await page.mouse.move(0, 0);
    expect(await lit(figure)).toEqual(['k3']);
    await map(figure, 'A').getByRole('application').focus();
    for (const key of ['Home', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    const [row, column] = /A(.)(.)/u
      .exec(await figure.locator('.readout').innerText())!
      .slice(1)
      .map((digit) => digit.codePointAt(0)! - 0x2080) as [number, number];
    expect(await lit(figure)).toEqual(row === 2 ? [`a${column}`, `k${column}`, 'q', 'y'] : []);
    const value = numberOf(await figure.locator('.readout strong').innerText());
    expect(value).toBeCloseTo(attend().A[row - 1]?.[column - 1] ?? NaN, 3);
  });

  test('a cell stays highlighted under the pointer when the focus leaves another map', async () => {
    const { page, figure } = await alone();
    const click = async (matrix: string): Promise<void> => {
      const { x, y, width } = (await map(figure, matrix).locator('canvas.cells').boundingBox())!;
      await page.mouse.click(x + width / 10, y + 5);
    };
    for (const [matrix, letter] of [
      ['X', 'X'],
      ['A', 'A'],
      ['Y', 'Y'],
      ['A', 'A'],
    ] as const) {
      await click(matrix);
      expect(await figure.locator('.readout').innerText()).toMatch(new RegExp(`^${letter}₁₁ = `));
    }
  });

  test.each([1280, 390])(
    'at %i px a cell outside the query’s row is the only thing lit, whatever had the focus',
    async (width) => {
      const hasTouch = width === 390;
      const { figure } = await alone({ hasTouch, viewport: { width, height: 844 } });
      const press = (target: Locator, x: number, y: number): Promise<void> =>
        hasTouch ? target.tap({ position: { x, y } }) : target.click({ position: { x, y } });
      await press(symbol(figure, 'y'), 9, 9);
      expect(await lit(figure)).toEqual(['y']);
      const cells = map(figure, 'A').locator('canvas.cells');
      const { height } = (await cells.boundingBox())!;
      await press(cells, 6, height - 6);
      expect(await figure.locator('.readout').innerText()).toMatch(/^A₄₁ = .* \(not in the formula for y₂\)$/);
      expect([await lit(figure), await framed(figure)]).toEqual([[], []]);
    },
  );

  test('a tapped cell stays highlighted', async () => {
    const { figure } = await alone({ hasTouch: true, viewport: { width: 390, height: 844 } });
    for (const matrix of ['X', 'A', 'Y', 'X']) {
      await map(figure, matrix)
        .locator('canvas.cells')
        .tap({ position: { x: 6, y: 6 } });
      expect(await figure.locator('.readout').innerText()).toMatch(new RegExp(`^${matrix}₁₁ = `));
    }
    await symbol(figure, 'v4').tap();
    expect(await lit(figure)).toEqual(['v4']);
  });

  test('maps, table and file have A and Y of the formula', async () => {
    const { figure } = await alone();
    const { A, Y } = attend();
    const { rows } = await csvOf(figure);
    const table = await tableOf(figure);
    const exact = A.map((weights, i) => [i + 1, ...weights, ...(Y[i] ?? [])]);
    // Scores stay below 8 and are off by a few float32 spacings there; the weights are off by as much, relatively, and
    // Y by up to 2.5 times that.
    const error = 64 * 8 * 2 ** -24;
    exact.forEach((row, i) =>
      row.forEach((value, c) => {
        expect(Math.abs(Number(rows[i]?.[c]) - value)).toBeLessThan(error);
        expect(Math.abs(numberOf(table[i]?.[c] ?? '') - value)).toBeLessThan(0.0005 + error);
      }),
    );
    const values = (matrix: string): Promise<number[]> =>
      map(figure, matrix).evaluate((element) => Array.from((element as HTMLElement & { values: Float32Array }).values));
    expect(await values('X')).toEqual(X.flat().map(Math.fround));
    const written = (from: number, to: number): number[] =>
      rows.flatMap((row) => row.slice(from, to).map((text) => Math.fround(Number(text))));
    expect(await values('A')).toEqual(written(1, 1 + TOKENS));
    expect(await values('Y')).toEqual(written(1 + TOKENS, 1 + TOKENS + WIDTH));
  });

  test('a link restores query and symbol, and reset the initial ones', async () => {
    const { figure } = await alone(CLIPBOARD);
    await figure.getByRole('radio', { name: '4', exact: true }).check();
    await symbol(figure, 'v1').click();
    const { page, figure: again } = await alone({ path: await addressOf(figure) });
    await page.mouse.move(0, 0);
    expect(await again.getByRole('radio', { name: '4', exact: true }).isChecked()).toBe(true);
    expect(await lit(again)).toEqual(['v1']);
    await again.getByRole('button', { name: 'Reset' }).click();
    expect(await again.getByRole('radio', { name: '2', exact: true }).isChecked()).toBe(true);
    expect(await lit(again)).toEqual(['k3']);
  });

  test('subscripts are below the line in any font, and all text has the font of the page’s formulas', async () => {
    const { page, figure } = await alone();
    for (const name of ['y', 'q', 'k3', 'a1']) {
      const { letter, index, text } = await symbol(figure, name).evaluate((button) => {
        const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT, (node) =>
          node.textContent?.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
        );
        const bottoms: number[] = [];
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(node);
          bottoms.push(range.getBoundingClientRect().bottom);
        }
        return {
          letter: bottoms.at(0) ?? NaN,
          index: bottoms.at(-1) ?? NaN,
          text: button.textContent?.trim(),
        };
      });
      expect(text).toMatch(/^.\d\d?$/u);
      expect(index).toBeGreaterThan(letter);
    }
    const ours = await figure
      .locator('.formula, .formula *')
      .evaluateAll((parts) => [...new Set(parts.map((part) => getComputedStyle(part).fontFamily))]);
    const theirs = await page.evaluate(() => {
      const math = document.createElementNS('http://www.w3.org/1998/Math/MathML', 'math');
      document.body.append(math);
      return getComputedStyle(math).fontFamily;
    });
    expect(theirs).toContain('STIX');
    expect(ours).toEqual([theirs]);
  });
});
