import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { checksOf, readProse, textsOf } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { reach } from '../../reach.js';

const { open } = useBrowser();
const words = textsOf('en').page;

/** The explanation of the first wrong answer to a figure's question, or to the last one in the text. */
const faultOf = (id?: string): string =>
  checksOf(readProse('en')).findLast(({ figure }) => figure === id)?.faults[0] ?? 'no fault';

const verdictOf = (check: Locator): Locator => check.getByRole('status');

test('a prediction by keyboard gets a verdict, and the figure can show the answer', async () => {
  const page = await open({ figures: ['binary-positions'] });
  const figure = page.locator('#fig-binary');
  const check = figure.getByRole('group', { name: words.checkPredict });
  const status = figure.locator('.check').getByRole('status');
  const marked = (): Promise<number> => figure.locator('rect.cursor').count();
  const why = 'It is the values of the sines that tell neighbours apart.';
  expect(await status.innerText()).toBe('');
  expect(await marked()).toBe(0);

  await check.getByRole('button', { name: 'no, each' }).focus();
  await page.keyboard.press('Enter');
  await status.locator('.wrong').waitFor();
  expect(await status.innerText()).toContain(`${words.checkWrong} ${faultOf('fig-binary')}`);
  expect(await status.innerText()).not.toContain(why);
  expect(await marked()).toBe(0);

  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  expect(await status.innerText()).toContain(words.checkRight);
  expect(await status.innerText()).toContain(why);
  expect(await marked()).toBe(3);
  const pressed = check.getByRole('button', { pressed: true });
  expect(await pressed.allInnerTexts()).toEqual(['yes, even neighbours']);

  // After a reset the figure no longer shows the answer.
  const link = figure.locator('.check').getByRole('link', { name: words.checkShown });
  expect(await link.count()).toBe(1);
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect(await link.count()).toBe(0);
  expect(await status.innerText()).toContain(why);
});

test('a verdict is spoken once, without the buttons and the link below it', async () => {
  const page = await open({ figures: ['binary-positions'] });
  const figure = page.locator('#fig-binary');
  const wrong = await heard(page, () => figure.getByRole('button', { name: 'no, each' }).press('Enter'));
  expect(wrong).toEqual([`${words.checkWrong} ${faultOf('fig-binary')}`]);
  const [right, ...more] = await heard(page, () => figure.locator('.check button[data-right]').press('Enter'));
  expect(right).toMatch(new RegExp(`^${words.checkRight}`));
  for (const other of [words.checkShown, words.checkForget]) expect(right).not.toContain(other);
  // The figure says what it shows now.
  expect(more.length).toBeLessThanOrEqual(1);
  const later = await heard(page, () => figure.getByRole('button', { name: 'Reset' }).press('Enter'));
  expect(later).not.toContain(right);
});

test('answers are remembered on the device, in every language, until the reader forgets them', async () => {
  const page = await open({ figures: ['binary-positions'] });
  const check = page.locator('#fig-binary .check');
  const status = verdictOf(check);
  const pressed = async (): Promise<string[]> =>
    (await check.locator('[aria-pressed=true]').allTextContents()).map((text) => text.trim());
  await check.locator('.answers button:not([data-right])').first().click();

  await page.goto(page.url().replace('/en/', '/pt/'));
  await status.locator('.wrong').waitFor();
  expect(await pressed()).toEqual(['não, cada posição tem os seus']);
  // The figure is as it was, and the page stays where it is.
  expect(await page.evaluate(() => [scrollY, location.search])).toEqual([0, '']);
  await check.locator('button[data-right]').click();
  await page.reload();
  await status.locator('.right').waitFor();
  await check.getByRole('button', { name: textsOf('pt').page.checkForget }).click();
  expect(await status.innerText()).toBe('');
  expect(await pressed()).toEqual([]);
  await page.reload();
  await page.locator('button.teach').waitFor();
  expect(await status.innerText()).toBe('');
});

test('a number is remembered, too', async () => {
  const page = await open({ path: '/en/further/', figures: [] });
  const exercise = page.locator('form.check').last();
  await exercise.getByRole('textbox').fill('0,39');
  await exercise.getByRole('textbox').press('Enter');
  await page.goto(page.url().replace('/en/', '/ko/'));
  await verdictOf(exercise).locator('.right').waitFor();
  expect(await exercise.getByRole('textbox').inputValue()).toBe('0,39');
});

test('what another page has stored is no answer', async () => {
  const script = `localStorage.setItem('wasm-attention answers', '{"fig-binary":"9","fig-tables":3,"fig-race":"x"}');`;
  const page = await open({ figures: ['binary-positions'], script });
  await page.waitForLoadState('networkidle');
  expect(await page.locator('.check [role=status] > *').count()).toBe(0);
});

test.each([1280, 390])('an answer keeps its question in sight at %i px', async (width) => {
  const figures = ['attention-dropout', 'complexity-race', 'binary-positions', 'encoding-similarity'];
  const page = await open({ figures, viewport: { width, height: 800 } });
  const gone: string[] = [];
  for (const check of (await page.locator('figcaption .check').all()).slice(0, figures.length)) {
    for (const right of [false, true]) {
      const answer = check.locator(right ? 'button[data-right]' : '.answers button:not([data-right])').first();
      await check.evaluate((each) => each.scrollIntoView({ block: 'center', behavior: 'instant' }));
      await answer.click();
      // Longer than the page scrolls.
      await page.waitForTimeout(1000);
      const legend = (await check.locator('legend').boundingBox())!;
      if (legend.y < 36 || legend.y + legend.height > 800) gone.push(`${right} ${legend.y}`);
    }
  }
  expect(gone).toEqual([]);
});

test('an answer that the figure does not show can be revealed, too', async () => {
  const page = await open({ figures: ['length-extrapolation'] });
  const figure = page.locator('#fig-extrapolation');
  const status = verdictOf(figure.locator('.check'));
  await figure.locator('.check button:not([data-right])').first().click();
  await figure.getByRole('button', { name: words.checkReveal }).click();
  expect(await status.innerText()).toContain('A learned table ends');
  expect(await figure.locator('.check').getByRole('link').count()).toBe(0);
});

test('every prediction changes its figure, with settings that the figure has', async () => {
  const predictions = checksOf(readProse('en')).filter(({ show }) => Object.keys(show).length > 0);
  const asked = predictions.flatMap(({ figure }) => figure ?? []);
  expect(asked.length).toBeGreaterThan(3);
  const page = await open({ path: '/en/further/', figures: [] });
  for (const id of asked) {
    const figure = await reach(page, id);
    // By keyboard, because the page may still be scrolling to the previous figure, and a pointer would miss.
    await figure.locator('.check button[data-right]').first().press('Enter');
    const { wanted, shown, first } = await figure.evaluate((element) => {
      const settings = new URLSearchParams(element.querySelector<HTMLElement>('.check')?.dataset.show);
      const host = element.querySelector<FigureElement & Record<string, unknown>>('[drawn]')!;
      const write = (values: Readonly<Record<string, unknown>>): string[] =>
        [...settings.keys()].map((name) => host.settings[name]?.write(values[name]) ?? `no ${name}`);
      return { wanted: [...settings.values()], shown: write(host), first: write(host.firstSettings) };
    });
    expect({ id, shown }).toEqual({ id, shown: wanted });
    expect(first).not.toEqual(wanted);
  }
});

test('a prediction resets the figure’s other settings', async () => {
  const page = await open({ figures: ['binary-positions'] });
  const settingsOf = (figure: string): Promise<Record<string, unknown>> =>
    page.locator(`#${figure} > :not(figcaption, .still)`).evaluate((element) => {
      const host = element as FigureElement & Record<string, unknown>;
      return Object.fromEntries(Object.keys(host.settings).map((name) => [name, host[name]]));
    });
  const first = await settingsOf('fig-binary');
  const figure = page.locator('#fig-binary');
  await figure.locator('binary-positions').evaluate((element) => (element as FigureElement).change({ rows: 40 }));
  await figure.locator('.check button[data-right]').press('Enter');
  expect(await settingsOf('fig-binary')).toEqual({
    ...first,
    rows: 16,
    width: 8,
    frequencies: 'halves',
    marked: [1, 2, 3],
  });
});

test('without scripts no questions are shown', async () => {
  const page = await open({ path: '/en/further/', javaScriptEnabled: false, still: true });
  expect(await page.locator('.check').count()).toBeGreaterThan(5);
  expect(await page.locator('.check:visible').count()).toBe(0);
});

describe('a question in the text', () => {
  test('tells right and wrong numbers from invalid ones, and explains only the right ones', async () => {
    const page = await open({ path: '/pt/further/', figures: [] });
    const pt = textsOf('pt').page;
    const check = page.locator('main > .check').nth(1);
    const field = check.getByRole('textbox', { name: pt.checkAnswer });
    const answer = async (written: string): Promise<string> => {
      await field.fill(written);
      await field.press('Enter');
      await verdictOf(check).locator('p').first().waitFor();
      return verdictOf(check).innerText();
    };
    for (const right of ['0,39', '0.4', '0,393216', ' ,39 ']) {
      const said = await answer(right);
      expect(said).toContain(pt.checkRight);
      expect(said).toContain('393.216');
    }
    // A common mistake gets its reason.
    const [reason] = checksOf(readProse('pt')).find(({ slips }) => slips.includes(393216))!.faults;
    expect(await answer('393216')).toBe(`${pt.checkWrong} ${reason}`);
    for (const wrong of ['0,38', '0,41', '-0,39', '393.216']) expect(await answer(wrong)).toBe(pt.checkWrong);
    for (const none of ['', 'NaN', '1e999', '9'.repeat(1000), '<b id="mine">0,39</b>', '0,39,0'])
      expect(await answer(none)).toBe(pt.checkNoNumber);
    expect(await page.locator('#mine').count()).toBe(0);

    await answer('0,38');
    await check.getByRole('button', { name: pt.checkReveal }).press('Enter');
    const said = await verdictOf(check).innerText();
    expect(said).toContain('393.216');
    expect(said).not.toContain(pt.checkRight);
    // The verdict takes over the focus of the button.
    expect(await verdictOf(check).evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  test('of a choice explains nothing until the right answer is found', async () => {
    const page = await open({ path: '/en/further/', figures: [], hasTouch: true });
    const check = page.locator('main > .check').last();
    await check.getByRole('button', { name: 'attention alone' }).tap();
    await verdictOf(check).locator('.wrong').waitFor();
    expect(await verdictOf(check).locator('p').innerText()).toBe(`${words.checkWrong} ${faultOf()}`);
    await check.getByRole('button', { name: words.checkReveal }).tap();
    expect(await verdictOf(check).innerText()).toMatch(/^Right answer: encoder layers with pre-norm\./);
    expect(await check.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['attention alone']);
    await check.getByRole('button', { name: 'attention alone' }).tap();
    await check.getByRole('button', { name: 'pre-norm' }).tap();
    expect(await verdictOf(check).innerText()).toMatch(new RegExp(`^${words.checkRight}[\\s\\S]*four\\.`));
  });
});
