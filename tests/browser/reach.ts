import type { Locator, Page } from 'playwright-core';

/** The figure with this id, drawn: its answer is opened, if it stands in one, and the page scrolls to it. */
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
