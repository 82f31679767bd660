/** The Chromium of scripts and of the benchmark. */
import { evaluate } from '../../../package/support.js';

it('gets the flags with which the benchmark collects garbage', () => {
  const type = evaluate(`
    import { launch } from './scripts/built-page.mjs';
    const browser = await launch(['--js-flags=--expose-gc']);
    const page = await browser.newPage();
    console.log(JSON.stringify(await page.evaluate(() => typeof globalThis.gc)));
    await browser.close();
  `);
  expect(type).toBe('function');
});
