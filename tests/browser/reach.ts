import type { Locator, Page } from 'playwright-core';

/** Scrolls to the figure with this id, opens the answer that contains it, if any, and waits until it is drawn. */
export async function reach(page: Page, id: string): Promise<Locator> {
  const figure = page.locator(`#${id}`);
  await figure.evaluate((element) => {
    const answer = element.closest('details');
    if (answer) answer.open = true;
    element.scrollIntoView({ behavior: 'instant' });
  });
  await figure.locator('> [drawn]').waitFor();
  return figure;
}
