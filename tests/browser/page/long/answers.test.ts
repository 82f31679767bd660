import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { reach } from '../../reach.js';

const { open } = useBrowser();

test('an answer highlights what it refers to in its figure', async () => {
  const page = await open({ figures: ['binary-positions', 'depth-collapse'] });
  const answered = async (id: string): Promise<Locator> => {
    const figure = await reach(page, id);
    await figure.locator('.check button[data-right]').press('Enter');
    return figure.locator('> [drawn]');
  };
  const binary = await answered('fig-binary');
  expect(await binary.locator('rect.cursor').count()).toBe(3);

  const collapse = await answered('fig-collapse');
  await collapse.getByText('faint: tokens').waitFor();
  expect(await collapse.locator('path.before').count()).toBe(4);
  await collapse.getByRole('radio', { name: 'tokens' }).check();
  expect(await collapse.locator('path.before').count()).toBe(0);
});
