/** The outputs of a figure's tools: its files, its table, its code, its link. */
import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';

/**
 * A number as English pages write it, with a true minus sign, commas between thousands and powers of ten: `−3.2 ×
 * 10⁻⁷`.
 */
export function numberOf(text: string): number {
  const plain = text
    .replace(' × 10', 'e')
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit)))
    .replace(/[−⁻]/g, '-')
    .replaceAll(',', '')
    .trim();
  return plain === '-∞' ? -Infinity : Number(plain === '' ? NaN : plain);
}

/** Chooses a tool in a figure's menu. */
export async function choose(figure: Locator, tool: string | RegExp): Promise<void> {
  await figure.getByRole('button', { name: /^Tools of/ }).click();
  await figure.getByRole('button', { name: tool, exact: true }).click();
}

/** Saves a figure as a file of this kind. */
export async function save(figure: Locator, kind: 'SVG' | 'PNG' | 'CSV'): Promise<Download> {
  const downloads = figure.page().waitForEvent('download');
  await choose(figure, new RegExp(kind));
  return downloads;
}

/** The bytes of a saved file. */
export async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

/** Reads an SVG with the browser's strict parser: its errors, its root's viewBox, its rectangles and its texts. */
export function parsed(
  page: Page,
  svg: string,
): Promise<{
  error: string;
  viewBox: string;
  title: string;
  cells: string[];
  texts: string[];
  foreign: number;
}> {
  return page.evaluate((text) => {
    const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const all = (selector: string): Element[] => [...root.querySelectorAll(selector)];
    return {
      error: root.querySelector('parsererror')?.textContent ?? '',
      viewBox: root.getAttribute('viewBox') ?? '',
      title: root.querySelector('title')?.textContent ?? '',
      cells: all('svg[preserveAspectRatio=none] > rect').map((rect) =>
        ['x', 'y', 'width', 'height', 'fill'].map((name) => rect.getAttribute(name)).join(),
      ),
      texts: all('text').map((element) => element.textContent ?? ''),
      foreign: all('foreignObject, image, script, style').length,
    };
  }, svg);
}

/** The CSV that the figure saves: its header and its rows. */
export async function csvOf(figure: Locator): Promise<{ columns: string[]; rows: string[][] }> {
  const text = (await contentOf(await save(figure, 'CSV'))).toString();
  const [columns = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => fields(line));
  return { columns, rows };
}

/** The fields of a line of CSV, which may be quoted. */
function fields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  );
}

/** The texts of the figure's table, row by row, including row headers. Opens the table and closes it. */
export async function tableOf(figure: Locator): Promise<string[][]> {
  await choose(figure, 'Values as a table');
  const rows = await figure
    .locator('.figure-values tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')));
  await choose(figure, 'Values as a table');
  return rows;
}

/** The figure's code, as its panel shows it. Opens the panel and closes it. */
export async function codeOf(figure: Locator): Promise<{ javascript: string; pytorch: string }> {
  await choose(figure, 'Code');
  const text = async (language: string): Promise<string> => {
    await figure.getByRole('radio', { name: language }).check();
    return (await figure.locator('.panel pre').textContent()) ?? '';
  };
  const code = { pytorch: await text('PyTorch'), javascript: await text('JavaScript') };
  await choose(figure, 'Code');
  return code;
}

/** Path and query of the figure's link; the page needs the permissions of `CLIPBOARD`. */
export async function addressOf(figure: Locator): Promise<string> {
  await choose(figure, 'Copy link');
  await figure.getByText('Link copied').waitFor();
  const { pathname, search } = new URL(await figure.page().evaluate(() => navigator.clipboard.readText()));
  return pathname + search;
}

/** Options of a page for `addressOf`. */
export const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
