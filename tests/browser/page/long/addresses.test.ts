import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { addressTails } from '../../../support/addresses.js';
import '../../../support/fuzzSeed.js';
import { useBrowser } from '../../browser.js';

const { open, origin } = useBrowser();

const PARAMETERS = ['place', 'P', 'fig-masks', 'fig-rotation'];
const SETTINGS = ['length', 'width', 'base', 'columns', 'valid-lens', 'input', 'seed', 'offset', 'position'];

test('no URL breaks the page', async () => {
  const drawn = fc.sample(addressTails(PARAMETERS, SETTINGS), { numRuns: 10, seed: 1 });
  const page = await open({ path: 'about:blank', figures: [] });
  for (const tail of ['?place=10px#%', '?place=10px#%E0%A4', '?place=-5%#fig-%68eads', ...drawn]) {
    await page.goto(`${origin()}/en/${tail}`, { waitUntil: 'domcontentloaded' });
    // Scripts run to the end: one of them shows the button, and figures are loaded.
    await page.locator('.teach:not([hidden])').waitFor({ state: 'attached' });
    const figure = page.locator('attention-lookup');
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
    await page.locator('attention-lookup[drawn]').waitFor();
  }
});

test.each(LANGUAGES)('in %s an older link to the curves leads to the heat map that has them now', async (language) => {
  const page = await open({ path: `/${language}/#fig-curves`, figures: [] });
  const heatmap = page.locator('#fig-heatmap');
  await heatmap.locator('[drawn]').waitFor();
  const { top, height } = await heatmap.evaluate((figure) => ({
    top: figure.getBoundingClientRect().top,
    height: innerHeight,
  }));
  expect(top).toBeGreaterThan(0);
  expect(top).toBeLessThan(height);
});

test('no URL breaks the start page', async () => {
  const page = await open({ path: 'about:blank', figures: [] });
  for (const tail of ['?place=10px#%', ...fc.sample(addressTails(PARAMETERS, SETTINGS), { numRuns: 4, seed: 2 })]) {
    await page.goto(`${origin()}/${tail}`, { waitUntil: 'domcontentloaded' });
    await page.waitForURL(`${origin()}/en/**`);
    await page.locator('.teach:not([hidden])').waitFor({ state: 'attached' });
  }
});
