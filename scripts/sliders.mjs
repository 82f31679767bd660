// Drags the sliders of a page's figures and measures how quickly the figures follow, for audit-paint.mjs.

/** The largest sizes to measure, by property. */
const CAPS = /** @type {Record<string, number>} */ ({ length: 256, tokens: 256, rows: 256, width: 128 });

/** @typedef {{ name: string, values: number[] }} Slider */
/** @typedef {{ paint: number[], work: number[] }} Times */

/**
 * Gives a figure its largest size, scrolls to it, and returns its sliders with the values to drag them through.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} tag
 * @returns {Promise<Slider[]>}
 */
export async function prepare(page, tag) {
  const figure = page.locator(`figure[id] > ${tag}`);
  const sliders = await figure.evaluate(async (element, caps) => {
    const figure = /** @type {HTMLElement & Record<string, any>} */ (element);
    const inputs = () =>
      /** @type {HTMLInputElement[]} */ ([...(figure.shadowRoot?.querySelectorAll('.slider input') ?? [])]);
    const move = async (/** @type {HTMLInputElement} */ input, /** @type {number} */ value) => {
      input.value = String(value);
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      await figure.updateComplete;
    };
    const sliders = [];
    for (const { id } of inputs()) {
      const input = () => /** @type {HTMLInputElement} */ (inputs().find((each) => each.id === id));
      const values = [];
      for (let value = Number(input().min); value <= Number(input().max) + 1e-9; value += Number(input().step) || 1) {
        await move(input(), value);
        if (!(figure[id] > (caps[id] ?? Infinity))) values.push(value);
      }
      // Set the largest value for the sliders that follow.
      await move(input(), values.at(-1) ?? 0);
      sliders.push({ name: id, values });
    }
    return sliders;
  }, CAPS);
  return sliders.filter(({ values }) => values.length > 1);
}

/**
 * Drags a slider through its values, up and down, and measures each move.
 *
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').CDPSession} session
 * @param {string} tag
 * @param {Slider} slider
 * @param {number} moves
 * @returns {Promise<Times>}
 */
export async function drag(page, session, tag, { name, values }, moves) {
  const input = page.locator(`figure[id] > ${tag}`).locator(`input#${name}`);
  await input.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  const before = await input.inputValue();
  const range = await input.evaluate((element) => {
    const { min, max } = /** @type {HTMLInputElement} */ (element);
    const { left, top, width, height } = element.getBoundingClientRect();
    return { min: Number(min), max: Number(max), left, width, y: top + height / 2, thumb: 18 };
  });
  const at = (/** @type {number} */ value) =>
    range.left + range.thumb / 2 + ((range.width - range.thumb) * (value - range.min)) / (range.max - range.min);
  // More values would not differ in pixels. The first two moves are warm-up.
  const few = spread(values, Math.min(values.length, 31));
  const path = Array.from({ length: moves + 2 }, (_, i) => bounce(few, i + 1));
  await page.mouse.move(at(few[0] ?? 0), range.y);
  await page.mouse.down();
  /** @type {Times} */
  const times = { paint: [], work: [] };
  for (const value of path) {
    await watch(page, tag);
    const from = await threadTime(session);
    await page.mouse.move(at(value), range.y);
    const paint = await page.evaluate(() => /** @type {any} */ (window).painted);
    if (paint === null) continue;
    times.paint.push(paint);
    times.work.push((await threadTime(session)) - from);
  }
  await page.mouse.up();
  // Restore the value for the sliders that follow.
  await input.fill(before);
  return { paint: times.paint.slice(2), work: times.work.slice(2) };
}

/**
 * Makes the page measure the next input event of a figure.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} tag
 */
function watch(page, tag) {
  return page.evaluate((name) => {
    const figure = /** @type {HTMLElement & { updateComplete: Promise<unknown> }} */ (
      document.querySelector(`figure[id] > ${name}`)
    );
    /** @type {any} */ (window).painted = new Promise((resolve) => {
      // A move that does not change the value fires no input event.
      const nothing = setTimeout(() => resolve(null), 500);
      const listen = async () => {
        const start = performance.now();
        clearTimeout(nothing);
        await figure.updateComplete;
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - start);
          port2.postMessage(undefined);
        });
      };
      window.addEventListener('input', () => void listen(), { once: true, capture: true });
    });
  }, tag);
}

/**
 * Processor time of the page's main thread so far, in milliseconds.
 *
 * @param {import('playwright-core').CDPSession} session
 */
async function threadTime(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN);
}

/**
 * `count` of the values, evenly spread, including the first and the last. @param {number[]} values @param {number}
 * count
 */
function spread(values, count) {
  return Array.from({ length: count }, (_, i) => values[Math.round((i * (values.length - 1)) / (count - 1))] ?? 0);
}

/** The i-th value of a walk through the values, back and forth. @param {number[]} values @param {number} i */
function bounce(values, i) {
  const period = 2 * (values.length - 1);
  const place = i % period;
  return values[place < values.length ? place : period - place] ?? 0;
}
