// Opens the page as on a slow phone and times a reader's actions, for audit-slow.mjs.

/**
 * Opens a page with a slow processor and a slow network.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {import('playwright-core').BrowserContextOptions} settings
 * @param {boolean} [saveData]
 */
export async function openSlow(browser, url, settings, saveData = false) {
  const context = await browser.newContext(settings);
  await context.addInitScript((saving) => {
    const seen = /** @type {any} */ (window);
    if (saving)
      Object.defineProperty(Object.getPrototypeOf(/** @type {any} */ (navigator).connection), 'saveData', {
        get: () => true,
      });
    seen.tasks = [];
    seen.pressed = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) seen.tasks.push([startTime, duration]);
    }).observe({ type: 'longtask', buffered: true });
    // From the key to the next paint, in steps of 8 ms.
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

/** Waits for the first figure, to which the reader scrolls at once. @param {import('playwright-core').Page} page */
export function firstFigure(page) {
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
                longest: Math.max(
                  0,
                  ...seen.tasks.filter(([start = 0]) => start < figure).map(([, duration = 0]) => duration),
                ),
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
 * The sorted times of keys on a slider, whose value does not change in the end.
 *
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Locator} slider
 * @param {number} keys how many
 * @returns {Promise<number[]>}
 */
export async function press(page, slider, keys) {
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
  // A key may have led to another part of the figure.
  await slider.fill(before, { force: true });
  /** @type {number[]} */
  const times = await page.evaluate(() => /** @type {any} */ (window).pressed);
  return times.sort((a, b) => a - b);
}

/**
 * Milliseconds until the story model, which comes when the browser is idle, has written its first token.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<number>}
 */
export async function firstWord(page) {
  await page.locator('#fig-model .teller:not([inert])').waitFor({ timeout: 120_000 });
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))));
}
