// Opens the built page in a headless Chromium, without a server, for scripts that draw or measure its figures.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ORIGIN = 'http://page.test';

/**
 * Starts Chromium. Rejects with an `Error` that gives the reason if there is none or it does not start.
 *
 * @param {string[]} [flags] more of Chromium's flags
 */
export async function launch(flags = []) {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('Chromium is missing: run `npm run setup`, or set CHROMIUM to its path');
  try {
    return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...flags] });
  } catch (error) {
    throw new Error(`${executablePath} does not start: ${String(error).split('\n')[0]}`, { cause: error });
  }
}

/** The languages of a built page. @param {string} folder */
export function languagesOf(folder) {
  return readdirSync(folder).filter((name) => /^[a-z]{2}$/.test(name));
}

/** The paths of a language's pages with figures. @param {string} language */
export function pathsOf(language) {
  return [`/${language}/`, `/${language}/further/`];
}

/**
 * Opens a path of the page in `folder`, in a fresh context.
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
 * Scrolls to every figure of the page, including those in closed answers, and waits until it is drawn. Returns the ids
 * of the `<figure>` elements.
 *
 * @param {import('playwright-core').Page} page
 */
export async function drawFigures(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const figures = page.locator('figure[id]').filter({ has: page.locator(':scope > :not(figcaption, .still)') });
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
    : // The first one is headless and twice as fast.
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
