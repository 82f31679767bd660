// The built page in a headless Chromium, without a server: for scripts that draw or measure its figures.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ORIGIN = 'http://page.test';

/**
 * A browser. Rejects with an `Error` that says why where there is none or it does not start.
 *
 * @param {readonly string[]} [more]  Arguments beside the usual ones.
 */
export async function launch(more = []) {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium here');
  try {
    return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...more] });
  } catch (error) {
    throw new Error(`${executablePath} does not start: ${String(error).split('\n')[0]}`, { cause: error });
  }
}

/** The languages of a built page. @param {string} folder */
export function languagesOf(folder) {
  return readdirSync(folder).filter((name) => /^[a-z]{2}$/.test(name));
}

/**
 * Opens a path of the page that was built into a folder, in a context of its own.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} folder
 * @param {string} path
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function openBuilt(browser, folder, path, options) {
  const context = await browser.newContext({ serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  await page.route(`${ORIGIN}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ path: join(folder, pathname.replace(/\/$/, '/index.html')) });
  });
  await page.goto(ORIGIN + path);
  return page;
}

/**
 * Brings every figure of the page near, those in closed answers too, and waits until it is drawn. Returns the ids of the `<figure>`s
 * around them.
 *
 * @param {import('playwright-core').Page} page
 */
export async function drawFigures(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const figures = page
    .locator('figure[id]')
    .filter({ has: page.locator(':scope > :first-child:not(.still)') });
  const ids = await figures.evaluateAll((all) => all.map(({ id }) => id));
  for (const id of ids) {
    const figure = page.locator(`#${id}`);
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await page.locator(`#${id} > [drawn]`).waitFor({ state: 'attached' });
  }
  return ids;
}

function findChromium() {
  const names = process.env.CHROMIUM
    ? [process.env.CHROMIUM]
    : // The first has no windows, and is twice as quick.
      ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  for (const name of names) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      continue;
    }
  }
  return undefined;
}
