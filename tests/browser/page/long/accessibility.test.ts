import { expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { AxeResults, NodeResult, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { textsOf } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';
import { openWhole } from '../../whole.js';

const { open } = useBrowser();

/**
 * The violations that axe reports. Before it looks for a button's text in its name, axe drops mathematical letters, so
 * it misses the 2 of 𝐱₂ in the Korean name “x₂: …”; such mismatches are compared again, after NFKC normalization.
 */
function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const plain = (text: string | null | undefined): string => (text ?? '').normalize('NFKC').replace(/\s+/g, '');
    const named = ({ element }: NodeResult): boolean =>
      plain(element?.getAttribute('aria-label')).includes(plain(element?.textContent));
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    const { violations } = await axe.run({ elementRef: true });
    return violations.flatMap(({ id, nodes }) => {
      const left = id === 'label-content-name-mismatch' ? nodes.filter((node) => !named(node)) : nodes;
      return left.map(({ html }) => `${id}: ${html}`);
    });
  });
}

/** A folder of each language, and two figures in it. */
const PAGES = [
  ['', 'positional-heatmap', 'path-lengths'],
  ['further/', 'encoding-similarity', 'rotary-pairs'],
] as const;
const VIEWS = [
  ['en', 'light', 1280],
  ['ko', 'light', 1280],
  ...LANGUAGES.map((language) => [language, 'dark', 390] as const),
] as const;

test.each(VIEWS.flatMap((view) => PAGES.map((page) => [...view, ...page] as const)))(
  'axe finds no violations in %s in a %s scheme at %d px in ./%s, with answers, a table and a menu open; nothing overflows',
  async (language, colorScheme, width, folder, opened, menu) => {
    const options = {
      path: `/${language}/${folder}`,
      colorScheme,
      viewport: { width, height: 900 },
      script: axe.source,
    };
    const page = await openWhole(open, options);
    if (language === 'en') {
      expect(await violations(page)).toEqual([]);
      // Move every slider by a step.
      for (const slider of await page.locator('input[type=range]').all()) await slider.press('ArrowRight');
    }
    // Open a table, some code and a menu.
    for (const name of ['tools.code', 'table'] as const) {
      await page.locator(`${opened} .more`).click();
      await page.locator(`${opened} .menu`).getByText(textsOf(language).figures[name], { exact: true }).click();
    }
    await page.locator(`${menu} .more`).click();
    expect(await violations(page)).toEqual([]);
    const contentWidth = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await contentWidth()).toBe(width);
    if (width > 390) return;
    await page.setViewportSize({ width: 320, height: 800 });
    await page.waitForTimeout(500);
    expect(await contentWidth()).toBe(320);
  },
);
