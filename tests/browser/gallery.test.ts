import { expect, test } from '@jest/globals';
import { useBrowser } from './browser.js';

const { open } = useBrowser();

test('the gallery shows every element, live, with its markup and its attributes', async () => {
  const page = await open({ path: '/gallery/', figures: [] });
  await page.locator('#ramp-legend').waitFor();
  for (const tag of [
    'attention-heads',
    'positional-curves',
    'positional-heatmap',
    'encoding-rotation',
    'heat-map',
  ]) {
    const section = page.locator('section').filter({ has: page.locator(`#about-${tag}`) });
    expect(await section.locator('pre').first().innerText()).toContain(`<${tag}`);
    expect(await section.locator(`figure > ${tag}`).count()).toBe(1);
  }
  const rotation = page.locator('section').filter({ has: page.locator('#about-encoding-rotation') });
  expect(await rotation.locator('tbody td:first-child').allInnerTexts()).toEqual([
    'position',
    'offset',
    'width',
  ]);
});
