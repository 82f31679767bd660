/** Any text may be the `lang` of the page around a figure. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test.each([
  ['1', 'Reset'],
  ['en_US', 'Reset'],
  ['tr_TR', 'Sıfırla'],
])('a figure in lang="%s" is drawn', async (lang, reset) => {
  const { page } = await openAlone(open, 'attention-masks');
  await page.evaluate((lang) => {
    document.documentElement.lang = lang;
    document.querySelector('main')!.replaceChildren(document.createElement('attention-masks'));
  }, lang);
  const figure = page.locator('attention-masks[drawn]');
  await figure.waitFor();
  await figure.getByRole('button', { name: reset, exact: true }).waitFor();
  expect(await figure.locator('heat-map').count()).toBeGreaterThan(0);
});
