/** Code cells in a page, and their outputs. */
import type { Locator, Page } from 'playwright-core';
import type { PageOptions } from './browser.js';

type Open = (options?: PageOptions) => Promise<Page>;

/** The page with its cells' element loaded, and all answers open. */
export async function withCells(open: Open, options?: PageOptions): Promise<{ page: Page; cells: Locator }> {
  const page = await open({ figures: [], ...options });
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const cells = page.locator('code-cell');
  await cells.first().scrollIntoViewIfNeeded();
  await cells.first().locator('.run').waitFor();
  return { page, cells };
}

/** A cell with this code, and a limit in milliseconds, in its own page. */
export async function cellWith(
  open: Open,
  code: string,
  { limit = 10_000, ...options }: PageOptions & { readonly limit?: number } = {},
): Promise<{ page: Page; cell: Locator }> {
  const page = await open({ path: '/en/code-cell', figures: [], ...options });
  await page.evaluate(putCell, [code, limit] as const);
  const cell = page.locator('code-cell');
  await cell.locator('.run').waitFor();
  return { page, cell };
}

/** Replaces the page's content by such a cell; runs in the page. */
export async function putCell([code, limit]: readonly [string, number]): Promise<void> {
  await customElements.whenDefined('code-cell');
  const listing = (text: string): HTMLElement => {
    const pre = document.createElement('pre');
    pre.append(document.createElement('code'));
    pre.firstElementChild!.textContent = text;
    return pre;
  };
  const cell = document.createElement('code-cell');
  cell.setAttribute('limit', String(limit));
  cell.append(listing(`${code}\n`), listing('x = 1\n'));
  document.querySelector('main')!.replaceChildren(cell);
}

export const run = (cell: Locator): Promise<void> => cell.getByRole('button', { name: 'Run' }).click();

/** Resolves once a run is over: the button says Run again. */
export const over = (cell: Locator): Promise<void> => cell.locator('.run', { hasText: 'Run' }).waitFor();

/** Runs a cell to its end and returns its status. */
export async function verdictOf(cell: Locator): Promise<string> {
  await run(cell);
  await over(cell);
  return cell.locator('p[role=status]').innerText();
}

/** The outputs of a cell from its elements. */
export function outputs(
  cell: Locator,
): Promise<{ text?: string; shape?: number[]; values?: number[]; curves?: number[] }[]> {
  return cell.locator('.output > *').evaluateAll((items) =>
    items.map((item) => {
      if (item.localName === 'pre') return { text: item.textContent };
      const map = item.querySelector('heat-map');
      if (map !== null) return { shape: [map.rows, map.columns], values: Array.from(map.values) };
      const paths = [...item.querySelectorAll('path.series + text')];
      return { curves: paths.map(({ textContent }) => Number(textContent)) };
    }),
  );
}
