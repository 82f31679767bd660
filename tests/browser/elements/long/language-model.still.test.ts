import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test.each([390, 1280])(
  'at %i px the end of the story does not move the texts, nor silencing a head its map',
  async (width) => {
    const { figure } = await openAlone(open, 'language-model', { viewport: { width, height: 844 } });
    await figure.locator('.ask button').click();
    await figure.locator('head-viewer[drawn]').waitFor();
    const topOf = (part: string, within: string): Promise<number> =>
      figure.evaluate(
        (element, [part, within]) => {
          const root = element.shadowRoot!.querySelector(within!)!;
          const { top } = (root.shadowRoot ?? root).querySelector(part!)!.getBoundingClientRect();
          return top - root.getBoundingClientRect().top;
        },
        [part, within],
      );
    const text = await topOf('.runs', '.stage');
    await figure.evaluate((element) => {
      Object.assign(element, { steps: 200 });
    });
    await figure.locator('.remark > span', { hasText: 'Here a story ends' }).waitFor();
    expect(await topOf('.runs', '.stage')).toBe(text);

    const map = await topOf('heat-map', 'head-viewer');
    await figure.getByLabel('Silence head 1 of layer 1').check();
    await figure.getByText('This head is silent').waitFor();
    expect(await topOf('heat-map', 'head-viewer')).toBe(map);
  },
);
