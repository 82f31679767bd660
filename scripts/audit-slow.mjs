// Measures the page as a reader with a slow phone has it: processor 4 times as slow, 1.6 Mb/s, 150 ms to the server, a first visit.
// At two widths it prints
//   paint     when the first words are there
//   figure    when the first figure can be used, if the reader scrolls to it at once
//   longest   the longest task of the main thread before that
//   keys      for each slider, the median and the longest time from a key to the frame that follows
//   story     when the language model has written its first token, downloads apart, and how many it writes a second from then on
//   idle      the bytes that 6 seconds without a reader fetch once the first screen shows its figure, also for readers who save data
// Exits with 1 if a limit below is not kept. A busy machine is slower, so look at the load.
//   usage: node scripts/audit-slow.mjs [--figure TAG]… [--language en] [--keys N] [--report] [--dir FOLDER]      --report never exits with 1
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from './built-page.mjs';
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
  firstToken: 2000,
  tokensASecond: 30,
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
  const { page, context } = await openSlow({ viewport, hasTouch });
  const { figure, longest, paint } = await firstFigure(page);
  console.log(
    `${width} px   paint ${paint.toFixed(0)} ms   figure ${figure.toFixed(0)} ms   longest ${longest.toFixed(0)} ms`,
  );
  check('first figure', figure, BARS.figure);
  check('longest task before it', longest, BARS.longest);
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const ids = await page
    .locator('figure[id]')
    .filter({ has: page.locator(':scope > :first-child:not(.still)') })
    .evaluateAll((all) => all.map(({ id }) => id));
  for (const id of ids) {
    const element = page.locator(`#${id}`);
    await element.evaluate((each) => each.scrollIntoView({ behavior: 'instant', block: 'center' }));
    const figure = page.locator(`#${id} > [drawn]`);
    await figure.waitFor({ state: 'attached', timeout: 120_000 });
    const tag = await figure.evaluate(({ localName }) => localName);
    if (options.figure && !options.figure.includes(tag)) continue;
    for (const slider of await figure.locator('input[type=range]:not(:disabled)').all()) {
      if (!(await slider.isVisible())) continue;
      const name = await slider.getAttribute('id');
      const times = await press(page, slider);
      if (times.length === 0) continue;
      const [median, worst] = [times[Math.floor(times.length / 2)] ?? NaN, times.at(-1) ?? NaN];
      console.log(
        `  ${tag.padEnd(22)} ${String(name).padEnd(14)} median ${median.toFixed(0).padStart(4)} ms   worst ${worst.toFixed(0).padStart(4)} ms`,
      );
      check(`${tag} ${name}, median`, median, BARS.median);
      check(`${tag} ${name}, worst`, worst, BARS.worst);
    }
  }
  if (!options.figure || options.figure.includes('language-model')) {
    const { first, rate } = await story(page);
    console.log(`  story   first token ${first.toFixed(0)} ms   ${rate.toFixed(0)} tokens a second`);
    check('first token', first, BARS.firstToken);
    if (rate < BARS.tokensASecond)
      missed.push(`${width} px: ${rate.toFixed(0)} tokens a second, limit ${BARS.tokensASecond}`);
  }
  await context.close();
  for (const saveData of [false, true]) {
    const bytes = await idle({ viewport, hasTouch }, saveData);
    console.log(`  ${(saveData ? 'idle, saving data' : 'idle').padEnd(37)} ${(bytes / 1000).toFixed(0)} kB`);
    if (saveData) check('bytes while idle, saving data', bytes, BARS.savedIdle);
  }
}

/**
 * Opens the page as a slow reader does.
 *
 * @param {import('playwright-core').BrowserContextOptions} settings
 * @param {boolean} [saveData]
 */
async function openSlow(settings, saveData = false) {
  const context = await browser.newContext(settings);
  await context.addInitScript((saving) => {
    const seen = /** @type {any} */ (window);
    if (saving) Object.defineProperty(Object.getPrototypeOf(/** @type {any} */ (navigator).connection), 'saveData', { get: () => true }); // prettier-ignore
    seen.tasks = [];
    seen.pressed = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) seen.tasks.push([startTime, duration]);
    }).observe({ type: 'longtask', buffered: true });
    // From the key to the paint that follows, in steps of 8 ms.
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') seen.pressed.push(duration);
    }).observe(/** @type {PerformanceObserverInit} */ ({ type: 'event', durationThreshold: 16 }));
  }, saveData);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 0.75e6 / 8,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(url, { waitUntil: 'commit' });
  return { context, page };
}

/** Waits for the first figure, which the reader looks for at once. @param {import('playwright-core').Page} page */
function firstFigure(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = /** @type {any} */ (window);
        const look = () => {
          const first = document.querySelector('figure[id]');
          first?.scrollIntoView({ behavior: 'instant', block: 'nearest' });
          if (!first?.querySelector(':scope > [drawn]')) return void setTimeout(look, 20);
          requestAnimationFrame(() =>
            setTimeout(() => {
              const figure = performance.now();
              resolve({
                figure,
                longest: Math.max(0, ...seen.tasks.filter(([start = 0]) => start < figure).map(([, duration = 0]) => duration)), // prettier-ignore
                paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
              });
            }),
          );
        };
        look();
      }),
  );
}

/**
 * The times of keys on a slider, sorted. The slider stands where it stood afterwards.
 *
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Locator} slider
 * @returns {Promise<number[]>}
 */
async function press(page, slider) {
  await slider.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await slider.focus();
  const before = await slider.inputValue();
  await page.evaluate(() => {
    const seen = /** @type {any} */ (window);
    seen.pressed = [];
  });
  for (let key = 0; key < keys; ++key) {
    const value = Number(await slider.inputValue());
    const atEnd = value >= Number((await slider.getAttribute('max')) ?? 100);
    await page.keyboard.press(atEnd || key % 2 === 1 ? 'ArrowLeft' : 'ArrowRight');
    await page.waitForTimeout(300);
  }
  await slider.fill(before);
  /** @type {number[]} */
  const times = await page.evaluate(() => /** @type {any} */ (window).pressed);
  return times.sort((a, b) => a - b);
}

/**
 * Asks for the language model and lets it write, its maps drawn. The network is fast meanwhile.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<{ first: number, rate: number }>} milliseconds from the click that asks to the frame with its first token, and tokens a second
 */
async function story(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }); // prettier-ignore
  await page.locator('#fig-model').evaluate((figure) => figure.scrollIntoView({ behavior: 'instant' }));
  await page.locator('#fig-model > [drawn]').waitFor({ timeout: 120_000 });
  return page.evaluate(async () => {
    const figure = /** @type {any} */ (document.querySelector('#fig-model > [drawn]'));
    const button = (/** @type {number} */ place) =>
      figure.renderRoot.querySelectorAll('.buttons button')[place];
    const until = async (/** @type {() => boolean} */ met) => {
      while (!met()) await new Promise(requestAnimationFrame);
      // The frame after the one that drew it.
      await new Promise(requestAnimationFrame);
    };
    const [WRITE, STEP] = [0, 1];
    const asked = performance.now();
    figure.renderRoot.querySelector('.ask button').click();
    await until(() => button(STEP));
    button(STEP).click();
    await until(() => figure.steps === 1);
    const first = performance.now();
    button(WRITE).click();
    await until(() => figure.steps > 100);
    const seconds = (performance.now() - first) / 1000;
    button(WRITE).click();
    return { first: first - asked, rate: (figure.steps - 1) / seconds };
  });
}

/**
 * The bytes that come in seconds of idling once the first screen shows its figure.
 *
 * @param {import('playwright-core').BrowserContextOptions} settings
 * @param {boolean} saveData
 */
async function idle(settings, saveData) {
  const { page, context } = await openSlow(settings, saveData);
  await page.waitForLoadState('load');
  await page.locator('figure[id] > [drawn]').first().waitFor({ timeout: 60_000 });
  // What service workers and other workers fetch counts, too.
  const before = sent();
  await page.waitForTimeout(IDLE);
  const bytes = sent() - before;
  await context.close();
  return bytes;
}
