/** The page for those who do not see it: names, descriptions, and what each key leads to. */
import { describe, expect, test } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { figures } from '../../../../web/elements/registry.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { openWhole } from '../../whole.js';

const { open } = useBrowser();

interface Node {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly description?: { readonly value: string };
}

/** Each figure in the accessibility tree: its name, and the description of the picture in it. */
async function figuresOf(page: Page): Promise<{ name: string; description: string }[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: Node[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const isIn = (node: Node, figure: Node): boolean => {
    for (let at: Node | undefined = node; at !== undefined; at = byId.get(at.parentId ?? ''))
      if (at === figure) return true;
    return false;
  };
  const described = nodes.filter(({ role, description }) => role?.value === 'group' && description?.value);
  return nodes
    .filter(({ role, ignored }) => !ignored && role?.value === 'figure')
    .map((figure) => ({
      name: figure.name?.value ?? '',
      description: described.find((node) => isIn(node, figure))?.description?.value ?? '',
    }));
}

const FOLDERS = ['', 'further/'] as const;

describe.each(FOLDERS)('in ./%s', (folder) => {
  test('every figure has a name and a description in five languages', async () => {
    const all: { name: string; description: string }[][] = [];
    for (const language of LANGUAGES) {
      const page = await openWhole(open, { path: `/${language}/${folder}` });
      const found = await figuresOf(page);
      expect(found.length).toBe(await page.locator('main figure').count());
      for (const { name, description } of found) {
        expect(name).toMatch(/\d.*\?/);
        expect(description).toMatch(/\S.{10}/);
        expect(description).not.toMatch(/[{}]|undefined/);
      }
      expect(new Set(found.map(({ name }) => name)).size).toBe(found.length);
      // Only the masks speak of it: their sentence says that nothing is NaN.
      expect(found.filter(({ description }) => description.includes('NaN')).length).toBe(folder === '' ? 1 : 0);
      all.push(found);
      await page.close();
    }
    const [english = [], ...others] = all;
    for (const found of others)
      found.forEach(({ name, description }, i) => {
        expect(name).not.toBe(english[i]!.name);
        expect(description).not.toBe(english[i]!.description);
      });
  });
});

test.each(Object.keys(figures))('each slider and switch of %s speaks once for one key', async (tag) => {
  const { page, figure } = await openAlone(open, tag, { reducedMotion: 'reduce' });
  const controls = figure.locator(
    '.stage :is(input[type=range]:not([tabindex="-1"], .readable > input), input[type=checkbox])',
  );
  const wrong: string[] = [];
  for (let i = 0; i < (await controls.count()); ++i) {
    const control = controls.nth(i);
    if (!(await control.isVisible())) continue;
    const { type, isLast } = await control.evaluate((element) => {
      const { type, value, max } = element as HTMLInputElement;
      return { type, isLast: value === max };
    });
    await control.focus();
    await page.waitForTimeout(500);
    const said = await heard(page, () =>
      page.keyboard.press(type === 'checkbox' ? 'Space' : isLast ? 'ArrowLeft' : 'ArrowRight'),
    );
    if (said.length !== 1) wrong.push(`${await control.getAttribute('id')}: ${said.join(' | ')}`);
  }
  expect(wrong).toEqual([]);
});

test.each(LANGUAGES)('the section has at most 150 tab stops in %s', async (language) => {
  const page = await openWhole(open, { path: `/${language}/` });
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = false;
    scrollTo(0, 0);
  });
  let stops = 0;
  for (; stops < 400; ++stops) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement === document.body)) break;
  }
  expect(stops).toBeGreaterThan(80);
  expect(stops).toBeLessThanOrEqual(150);
});
