/** What assistive technology gets of the page's parts, by the accessibility tree, the focus and live regions. */
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { checksOf, readProse, textsOf } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';
import { cellWith, over, run } from '../../cells.js';

const { open } = useBrowser();

/** The names of all that has a role in the accessibility tree, in document order. */
async function namesOf(page: Page, role: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes.filter((node) => node.role?.value === role).map((node) => String(node.name?.value ?? ''));
}

describe.each(LANGUAGES)('in %s', (language) => {
  const words = textsOf(language).page;

  test.each(['', 'further/'])('figures and questions of ./%s have names', async (folder) => {
    const page = await open({ path: `/${language}/${folder}`, figures: [] });
    const questions = await page.locator('figcaption > p:first-child > strong:first-of-type').allInnerTexts();
    const plain = (names: readonly string[]): string[] => names.map((name) => name.replace(/[\s\u2060]+/g, ' '));
    expect(plain(await namesOf(page, 'figure'))).toEqual(
      plain(questions.map((question, i) => `${words.figure.replace('{number}', String(i + 1))} ${question}`)),
    );
    const legends = plain(await page.locator('legend').allInnerTexts());
    const groups = plain(await namesOf(page, 'group'));
    expect(legends.filter((legend) => !groups.includes(legend))).toEqual([]);
  });

  test('“show the answer” names the right one, and the reader’s own stays pressed', async () => {
    const page = await open({ path: `/${language}/further/`, figures: [] });
    const check = page.locator('#fig-binary .check');
    const right = check.locator('button[data-right]');
    const own = check.locator('.answers button:not([data-right])').first();
    await own.press('Enter');
    await check.getByRole('button', { name: words.checkReveal }).press('Enter');
    const { answers, right: places } = checksOf(readProse(language)).find(({ figure }) => figure === 'fig-binary')!;
    const said = check.getByRole('status').locator('p').first();
    expect((await said.innerText()).replace(/\s+/g, ' ')).toBe(
      words.checkRightAnswer.replace('{answer}', answers[places[0]!]!),
    );
    expect(await check.locator('[aria-pressed=true]').count()).toBe(1);
    expect(await own.getAttribute('aria-pressed')).toBe('true');
    // Who looks sees the right one framed as if it was chosen.
    const frame = (): Promise<string> =>
      right.evaluate((each) => {
        const { border, boxShadow, color } = getComputedStyle(each);
        return [border, boxShadow, color].join();
      });
    const revealed = await frame();
    await right.press('Enter');
    expect(await frame()).toBe(revealed);
  });

  test('a run of a cell that is over is said once, also the second time', async () => {
    const { page, cell } = await cellWith(open, 'show(1); show(2); show(3);', { path: `/${language}/code-cell` });
    const texts = textsOf(language).cells;
    const log = await cell.locator('p[role=status]').evaluateHandle((status) => {
      const said: string[] = [];
      new MutationObserver(() => said.push(status.textContent.trim())).observe(status, {
        childList: true,
        characterData: true,
        subtree: true,
      });
      return said;
    });
    const height = (): Promise<number> => page.locator('code-cell .code').evaluate((code) => code.clientHeight);
    const before = await height();
    const done = texts['cell.done'].replace('{count}', '3');
    for (const heard of [
      [texts['cell.running'], done],
      [texts['cell.running'], done, texts['cell.running'], done],
    ]) {
      await cell.locator('.run').press('Enter');
      await cell.locator('.run', { hasText: texts['cell.run'] }).waitFor();
      await page.waitForTimeout(200);
      expect(await log.jsonValue()).toEqual(heard);
    }
    expect(await height()).toBe(before);
  });
});

test('the first cell of a row is its header, and looks like the others', async () => {
  const page = await open({ figures: [] });
  expect(await namesOf(page, 'rowheader')).toEqual(['CNN', 'RNN', 'Self-attention']);
  const fonts = await page
    .locator('main tbody tr:first-child > *')
    .evaluateAll((cells) => cells.map((cell) => [getComputedStyle(cell).font, getComputedStyle(cell).color].join()));
  expect(fonts).toHaveLength(4);
  expect(new Set(fonts).size).toBe(1);
});

test.each(['pt', 'ko', 'tr', 'id'])('in %s, English titles are marked as English', async (language) => {
  for (const folder of ['', 'further/']) {
    const page = await open({ path: `/${language}/${folder}`, figures: [] });
    const titles = await page
      .locator('.references :is(a, cite), footer :is(em, cite, span)')
      .evaluateAll((all) => all.map((each) => each.closest<HTMLElement>('[lang]')!.lang));
    expect(titles.length).toBeGreaterThan(10);
    expect(new Set(titles)).toEqual(new Set(['en']));
  }
});

describe('in teaching', () => {
  const place = (page: Page): Promise<string> => page.locator('.teaching-bar .all').innerText();
  /** The class of the focused element, through shadow roots. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element === document.body ? 'body' : (element?.className ?? '');
    });

  test('single letters are no commands', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await page.locator('figure.taught [drawn]').waitFor();
    const first = await place(page);
    for (const key of ['n', 'p', 'o', 'N', 'P', 'O']) await page.keyboard.press(key);
    expect(await page.locator('.teaching-bar.asking').count()).toBe(1);
    expect(await place(page)).toBe(first);
    expect(await page.locator('.teaching-bar dialog').isVisible()).toBe(false);
    await page.locator('.teaching-bar .all').click();
    await page.keyboard.press('o');
    expect(await page.locator('.teaching-bar dialog').isVisible()).toBe(true);
  });

  test('the focus goes on with the figures, and stays on a button that leads no further', async () => {
    const page = await open({ path: '/en/?teach#fig-masks', figures: [] });
    const shown = page.locator('.teaching-bar:not(.asking)');
    await page.locator('#fig-masks.taught').waitFor();
    expect(await focused(page)).toBe('next');
    await page.keyboard.press('PageDown');
    await shown.waitFor();
    const box = page.locator('#fig-masks').getByRole('checkbox').first();
    // The answers, and the next figure.
    for (const key of ['PageDown', 'PageDown']) await box.press(key);
    await page.locator('#fig-masks:not(.taught)').waitFor({ state: 'attached' });
    expect(await focused(page)).toBe('next');

    const previous = page.locator('.teaching-bar .previous');
    await page.keyboard.press('Home');
    expect(await place(page)).toMatch(/^1 /);
    expect(await previous.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('PageDown');
    await page.locator('#fig-model:not(.taught)').waitFor({ state: 'attached' });
    expect(await previous.getAttribute('aria-disabled')).toBe('false');
    for (let i = 0; i < 2; ++i) {
      await previous.press('Enter');
      expect(await place(page)).toMatch(/^1 /);
      expect(await focused(page)).toBe('previous');
    }

    await page.keyboard.press('End');
    const last = await place(page);
    expect(last).toMatch(/^(\d+) \/ \1$/);
    for (let i = 0; i < 4; ++i) {
      await page.locator('.teaching-bar .next').press('Enter');
      expect(await place(page)).toBe(last);
      expect(await focused(page)).not.toBe('body');
    }
  });
});

test('the buttons of a cell keep the focus', async () => {
  const { page, cell } = await cellWith(open, "show('before');\nwhile (true);");
  const focused = (): Promise<string> =>
    cell.evaluate((element) => {
      const { activeElement } = element.shadowRoot!;
      return activeElement?.textContent.trim() ?? 'none';
    });
  const button = cell.locator('.run');
  await button.press('Enter');
  await cell.locator('.output pre').waitFor();
  expect(await focused()).toBe('Stop');
  await page.keyboard.press('Enter');
  await over(cell);
  expect(await focused()).toBe('Run');
  await cell.getByRole('button', { name: 'Reset' }).press('Enter');
  expect(await focused()).toBe('Run');
  await run(cell);
  expect(await focused()).toBe('Stop');
});
