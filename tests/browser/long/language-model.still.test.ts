import { expect, test } from '@jest/globals';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

test.each([390, 1280])(
  'at %i px the end of the story and a silent head move neither texts nor maps',
  async (width) => {
    const { figure } = await openAlone(open, 'language-model', { viewport: { width, height: 844 } });
    await figure.locator('.ask button').click();
    await figure.locator('head-viewer[drawn]').waitFor();
    await figure.evaluate((element) => {
      Object.assign(element, { steps: 90 });
    });
    const tops = (): Promise<number[]> =>
      figure.evaluate((element) => {
        const viewer = element.shadowRoot!.querySelector('head-viewer')!.shadowRoot!;
        const parts = [element.shadowRoot!.querySelector('.runs')!, viewer.querySelector('heat-map')!];
        return parts.map((part) => part.getBoundingClientRect().top - element.getBoundingClientRect().top);
      });
    const silence = figure.getByLabel('Silence head 1 of layer 1');
    await silence.check();
    const before = await tops();
    await figure.evaluate((element) => {
      Object.assign(element, { steps: 200 });
    });
    await figure.getByText('Here a story ends').first().waitFor();
    expect((await tops())[0]).toBe(before[0]);
    await silence.uncheck();
    const heard = await tops();
    await silence.check();
    expect((await tops())[0]).toBe(heard[0]);
  },
);
