// Measures the page on a simulated slow phone: a processor 4 times as slow, 1.6 Mb/s, 150 ms round trips, a first
// visit. At two widths it prints
//   paint     the first contentful paint, with the story's still
//   figure    when the first figure can be used, if the reader scrolls to it at once
//   longest   the longest task of the main thread before that
//   keys      for each slider, the median and the longest time from a key to the next frame
//   word      when the story model, which is fetched when the browser is idle, has written its first token
//   idle      bytes fetched in 6 idle seconds once the first screen shows its figure, also with Save-Data
// Exits with 1 if a limit below is exceeded. A busy machine is slower, so check the load.
//   usage: node scripts/audit-slow.mjs [--figure TAG]… [--language en] [--keys N] [--report] [--dir FOLDER]
//             --report never exits with 1
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from './built-page.mjs';
import { firstFigure, firstWord, openSlow, press } from './slow-reader.mjs';
import { host } from './static-host.mjs';

const WIDTHS = [
  { width: 390, height: 844, hasTouch: true },
  { width: 1280, height: 800, hasTouch: false },
];
/** Milliseconds, and bytes. */
const BARS = {
  figure: 3000,
  longest: 200,
  median: 80,
  worst: 200,
  savedIdle: 150_000,
  word: 7000,
};
const IDLE = 6000;

const { values: options } = parseArgs({
  options: {
    figure: { type: 'string', multiple: true },
    language: { type: 'string', default: 'en' },
    keys: { type: 'string', default: '11' },
    report: { type: 'boolean', default: false },
    dir: { type: 'string', default: join(import.meta.dirname, '../build/page') },
  },
});
const keys = Number(options.keys);
if (!Number.isInteger(keys) || keys < 3)
  throw new Error(`--keys: expected a whole number of at least 3, got ${options.keys}`);

/** @type {string[]} */
const missed = [];
const server = host(options.dir).listen(0, '127.0.0.1');
/** @type {import('node:net').Socket[]} */
const sockets = [];
server.on('connection', (socket) => sockets.push(socket));
/** Bytes that the server has sent. */
const sent = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
await new Promise((resolve) => server.once('listening', resolve));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const url = `http://127.0.0.1:${port}/${options.language}/`;
const browser = await launch();
try {
  for (const screen of WIDTHS) await measure(screen);
} finally {
  await browser.close();
  server.close();
}
const load = loadavg()[0]?.toFixed(1);
console.log(missed.length === 0 ? `all within the limits (load ${load})` : `missed (load ${load}):`);
for (const line of missed) console.log(`  ${line}`);
if (missed.length > 0 && !options.report) process.exitCode = 1;

/** @param {{ width: number, height: number, hasTouch: boolean }} screen */
async function measure({ hasTouch, ...viewport }) {
  const { width } = viewport;
  const check = (/** @type {string} */ what, /** @type {number} */ value, /** @type {number} */ bar) => {
    if (value > bar) missed.push(`${width} px: ${what} ${Math.round(value)}, limit ${bar}`);
  };
  const { page, context } = await openSlow(browser, url, { viewport, hasTouch });
  const { figure, longest, paint } = await firstFigure(page);
  const word = await firstWord(page);
  console.log(
    `${width} px   paint ${paint.toFixed(0)} ms   figure ${figure.toFixed(0)} ms   longest ${longest.toFixed(0)} ms   word ${word.toFixed(0)} ms`,
  );
  check('first figure', figure, BARS.figure);
  check('first word', word, BARS.word);
  check('longest task before it', longest, BARS.longest);
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const ids = await page
    .locator('figure[id]')
    .filter({ has: page.locator(':scope > :not(figcaption, .still)') })
    .evaluateAll((all) => all.map(({ id }) => id));
  for (const id of ids) {
    const element = page.locator(`#${id}`);
    await element.evaluate((each) => each.scrollIntoView({ behavior: 'instant', block: 'center' }));
    const figure = page.locator(`#${id} > [drawn]`);
    await figure.waitFor({ state: 'attached', timeout: 120_000 });
    const tag = await figure.evaluate(({ localName }) => localName);
    if (options.figure && !options.figure.includes(tag)) continue;
    for (const slider of await figure.locator('.slider input:not(:disabled)').all()) {
      if (!(await slider.isVisible())) continue;
      const name = await slider.getAttribute('id');
      const times = await press(page, slider, keys);
      if (times.length === 0) continue;
      const [median, worst] = [times[Math.floor(times.length / 2)] ?? NaN, times.at(-1) ?? NaN];
      console.log(
        `  ${tag.padEnd(22)} ${String(name).padEnd(14)} median ${median.toFixed(0).padStart(4)} ms   worst ${worst.toFixed(0).padStart(4)} ms`,
      );
      check(`${tag} ${name}, median`, median, BARS.median);
      check(`${tag} ${name}, worst`, worst, BARS.worst);
    }
  }
  await context.close();
  for (const saveData of [false, true]) {
    const bytes = await idle({ viewport, hasTouch }, saveData);
    console.log(`  ${(saveData ? 'idle, saving data' : 'idle').padEnd(37)} ${(bytes / 1000).toFixed(0)} kB`);
    if (saveData) check('bytes while idle, saving data', bytes, BARS.savedIdle);
  }
}

/**
 * Bytes fetched while idle, once the first screen shows its figure.
 *
 * @param {import('playwright-core').BrowserContextOptions} settings
 * @param {boolean} saveData
 */
async function idle(settings, saveData) {
  const { page, context } = await openSlow(browser, url, settings, saveData);
  await page.waitForLoadState('load');
  await page.locator('figure[id] > [drawn]').first().waitFor({ timeout: 60_000 });
  // Counts what workers and service workers fetch, too.
  const before = sent();
  await page.waitForTimeout(IDLE);
  const bytes = sent() - before;
  await context.close();
  return bytes;
}
