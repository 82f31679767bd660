import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { violationsOf } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open, origin, expectErrors } = useBrowser();

test('the page runs under a policy that forbids inline scripts, inline styles, eval and third parties', async () => {
  const page = await open();
  const hosts = await page.evaluate(() =>
    performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin),
  );
  expect(new Set(hosts)).toEqual(new Set([origin()]));
  const response = await page.request.get(page.url());
  expect(response.headers()['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval';");
  const meta = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(meta).toContain("script-src 'self' 'wasm-unsafe-eval';");
  // Code cells: the frame's script, and modules made of text in its worker.
  expect(meta).toMatch(/ script-src-elem 'self' blob: 'sha256-[^ ]+';/);
  expect(meta).not.toMatch(/unsafe-inline|'unsafe-eval'|strict-dynamic|https?:|\*/);
  expect(meta).toContain("style-src 'self';");
  // Playwright's evaluate bypasses the policy, so the page itself has to try.
  const blocked = page.evaluate(
    () =>
      new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'document.title = "inline"';
        document.head.append(script);
      }),
  );
  expect(await blocked).toBe('script-src-elem');
  expect(await page.title()).not.toBe('inline');
  expectErrors(/^console error: Executing inline script/);
});

test('without scripts text, formulas and captions are readable, and the page says what is missing', async () => {
  const page = await open({ javaScriptEnabled: false, still: true });
  expect(await page.locator('noscript .notice').isVisible()).toBe(true);
  expect(await page.locator('main h2').count()).toBe(6);
  expect(await page.locator('math').first().isVisible()).toBe(true);
  for (const caption of await page.locator('figcaption').all()) expect(await caption.isVisible()).toBe(true);
});

test('every file that a script loads by its URL was built', () => {
  const folder = join(import.meta.dirname, '../../../build/page/assets');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const relative = /new URL\([`"']([^`"']+)[`"'],(?:import\.meta\.url|self\.location\.href)/g;
  const named = scripts.flatMap((name) =>
    Array.from(readFileSync(join(folder, name), 'utf8').matchAll(relative), ([, file]) => file!),
  );
  expect(named).toContainEqual(expect.stringMatching(/^wasm-attention-relaxed-/));
  expect(named.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
});

test('every link within the page has a target', async () => {
  const page = await open({ figures: [] });
  const lost = await page
    .locator('a[href^="#"]')
    .evaluateAll((links) =>
      links.map((link) => link.getAttribute('href') ?? '').filter((href) => document.querySelector(href) === null),
    );
  expect(lost).toEqual([]);
});

test('narrow screens do not scroll sideways, and controls are at least 24 px high and wide', async () => {
  const page = await open({ viewport: { width: 390, height: 800 } });
  const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(390);
  const small = await page
    .locator('input[type=range]:not([tabindex="-1"]), button, summary, .choice')
    .evaluateAll((all) =>
      all.flatMap((control) => {
        // Controls in closed answers are not visible.
        if (!control.checkVisibility()) return [];
        const { width, height } = control.getBoundingClientRect();
        return width < 24 || height < 24 ? [`${width}×${height} ${control.outerHTML}`] : [];
      }),
    );
  expect(small).toEqual([]);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await width()).toBe(320);
});

test('a figure is loaded only when it comes near the window', async () => {
  const page = await open({ figures: [], viewport: { width: 1280, height: 600 } });
  const defined = (): Promise<boolean> => page.evaluate(() => customElements.get('encoding-rotation') !== undefined);
  expect(await defined()).toBe(false);
  await page.locator('#fig-rotation').evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
  await page.locator('encoding-rotation[drawn]').waitFor();
  expect(await defined()).toBe(true);
});

test('while a slider moves, figures outside the window are not rendered, and keep their heights', async () => {
  const page = await open({ figures: ['attention-masks', 'positional-heatmap'] });
  const curves = page.locator('positional-heatmap');
  const state = (): Promise<{ skipped: boolean; height: number }> =>
    curves.evaluate((figure) => ({
      skipped: !(figure.shadowRoot?.querySelector('.stage') ?? figure).checkVisibility({
        contentVisibilityAuto: true,
      }),
      height: figure.getBoundingClientRect().height,
    }));
  const slider = page.locator('attention-masks input[type=range]').first();
  await slider.scrollIntoViewIfNeeded();
  const before = await state();
  expect(before.skipped).toBe(false);
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => 'sliding' in document.documentElement.dataset);
  await page.keyboard.press('ArrowLeft');
  const during = await state();
  await page.waitForFunction(() => !('sliding' in document.documentElement.dataset));
  expect(during).toEqual({ skipped: true, height: before.height });
  expect(await state()).toEqual(before);
});

test('formulas and tables are tab stops if, and only if, they scroll', async () => {
  const page = await open({ viewport: { width: 320, height: 800 }, figures: [] });
  const wrong = await page
    .locator('.equation, .table')
    .evaluateAll((boxes) =>
      boxes
        .filter((box) => box.scrollWidth > box.clientWidth !== (box.getAttribute('tabindex') === '0'))
        .map((box) => box.outerHTML),
    );
  expect(wrong).toEqual([]);
});

// long/accessibility.test.ts checks all languages and figures.
test('axe finds no violations on the Korean page with two figures, in a dark scheme', async () => {
  const figures = ['attention-masks', 'positional-heatmap'];
  const page = await open({ path: '/ko/', colorScheme: 'dark', figures });
  expect(await violationsOf(page, 'html')).toEqual([]);
});
