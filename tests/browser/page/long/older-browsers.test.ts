/** The page in a browser without what is newer than Safari 16.4. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser, type PageOptions } from '../../browser.js';

const { open } = useBrowser();

/** Makes the browser forget functions, before the page's scripts run. */
const FORGET = `delete Element.prototype.checkVisibility;
for (const name of ['popover', 'showPopover', 'hidePopover', 'togglePopover']) delete HTMLElement.prototype[name];
for (const name of ['popoverTargetElement', 'popoverTargetAction']) delete HTMLButtonElement.prototype[name];`;

/** Opens the page in a browser that knows neither `light-dark()` nor popovers. */
async function openInOld(path: string, options: PageOptions = {}): Promise<Page> {
  const page = await open({ path: '/', figures: [], script: FORGET, ...options });
  await page.route(/\.(js|css)$/, async (route) => {
    try {
      const response = await route.fetch();
      const body = (await response.text())
        .replaceAll('light-dark(', 'dark-light(')
        .replaceAll(':popover-open', ':popped');
      await route.fulfill({ response, body });
    } catch {
      // The page was left before the answer came.
    }
  });
  await page.goto(new URL(path, page.url()).href);
  return page;
}

test.each(['light', 'dark'] as const)('figures have the colours of the %s scheme', async (colorScheme) => {
  const page = await openInOld('/en/positional-heatmap', { colorScheme });
  await page.locator('positional-heatmap[drawn]').waitFor({ state: 'attached' });
  const { ink, track, cells } = await page.locator('positional-heatmap').evaluate((figure) => {
    const map = figure.shadowRoot!.querySelector('heat-map')!;
    const probe = document.createElement('i');
    figure.shadowRoot!.append(probe);
    const colour = (property: string): string => {
      probe.style.color = `var(${property})`;
      return getComputedStyle(probe).color;
    };
    const cells = getComputedStyle(map.shadowRoot!.querySelector('canvas')!).color;
    return { ink: colour('--_ink'), track: colour('--_track'), cells };
  });
  expect({ ink, track, cells }).toEqual(
    colorScheme === 'light'
      ? { ink: 'rgb(27, 31, 36)', track: 'rgb(139, 148, 158)', cells: 'rgb(0, 0, 0)' }
      : { ink: 'rgb(230, 232, 235)', track: 'rgb(119, 129, 141)', cells: 'rgb(255, 255, 255)' },
  );
});

test.each([390, 1280])('menus are lists that cover nothing, at %i px', async (width) => {
  const page = await openInOld('/en/', { viewport: { width, height: 800 } });
  const title = (await page.locator('h1').boundingBox())!;
  const languages = (await page.locator('#languages').boundingBox())!;
  expect(languages.y + languages.height).toBeLessThanOrEqual(title.y);
  await page.locator('#languages a[hreflang=ko]').click({ trial: true });
  await page.locator('#contents a[href="#references"]').click();
  await page.waitForFunction(() => Math.abs(document.querySelector('#references')!.getBoundingClientRect().top) < 200);
});

test('a figure’s tools are in a row', async () => {
  const page = await openInOld('/en/attention-masks');
  const svg = page.locator('attention-masks').getByRole('button', { name: 'SVG' });
  await svg.waitFor();
  // None covers another.
  for (const tool of await page.locator('attention-masks .tools button:not([popovertarget])').all()) {
    await tool.click({ trial: true });
  }
  const saved = page.waitForEvent('download');
  await svg.click();
  await saved;
});

test('figures are shown one at a time, until Escape', async () => {
  const page = await openInOld('/en/');
  await page.locator('button.teach').click();
  await page.locator('figure.taught > [drawn]').waitFor();
  // The figure, then the next one's question.
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await page.locator('#fig-model:not(.taught)').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
});
