import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test('a click or a drag in the plot selects the layer below the pointer', async () => {
  const { page, figure } = await openAlone(open, 'depth-collapse');
  const depth = (): Promise<string> => figure.getByRole('slider', { name: 'Depth' }).inputValue();
  const plot = (await figure.locator('.plot').first().boundingBox())!;
  /** The place of a layer's number. */
  const placeOf = async (layer: string): Promise<number> => {
    const { x, width } = (await figure
      .locator('.with-four > .plot text', { hasText: new RegExp(`^${layer}$`) })
      .boundingBox())!;
    return x + width / 2;
  };
  const middle = plot.y + plot.height / 2;
  await page.mouse.move(await placeOf('12'), middle);
  expect(await depth()).toBe('4');
  await page.mouse.down();
  expect(await depth()).toBe('12');
  await page.mouse.move(await placeOf('18'), middle);
  expect(await depth()).toBe('18');
  // Beyond the curves, the last layer is the nearest.
  await page.mouse.move(plot.x + plot.width - 1, middle);
  expect(await depth()).toBe('24');
  await page.mouse.up();
  await page.mouse.move(await placeOf('6'), middle);
  expect(await depth()).toBe('24');
});
