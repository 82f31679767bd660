import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { withCells } from '../../cells.js';

const { open } = useBrowser();

/** The fields, in shadow roots as well, and the size of their letters. */
const fieldsOf = (page: Page): Promise<[name: string, size: number][]> =>
  page.evaluate(() => {
    const within = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? within(each.shadowRoot) : [])]);
    return within(document)
      .filter((each) => each.matches('input:not([type=range], [type=radio], [type=checkbox]), textarea, .cm-content'))
      .map((each): [string, number] => [each.id || each.className, parseFloat(getComputedStyle(each).fontSize)]);
  });

test('on a phone the letters of no field are so small that iOS magnifies the page', async () => {
  const phone = { hasTouch: true, viewport: { width: 390, height: 844 } };
  const { page, cells } = await withCells(open, {
    ...phone,
    figures: ['follow-word'],
  });
  await cells.first().getByRole('button', { name: 'Edit' }).click();
  await cells.first().locator('.cm-content').waitFor();
  const models = await open({ ...phone, path: '/en/models/', figures: [] });
  await models.getByRole('button', { name: 'Try the small model' }).click();
  await models.locator('textarea').first().waitFor();
  const fields = [...(await fieldsOf(page)), ...(await fieldsOf(models))];
  const names = fields.map(([name]) => name).join();
  for (const kind of ['text', 'cm-content']) expect(names).toContain(kind);
  expect(fields.filter(([, size]) => size < 16)).toEqual([]);
});
