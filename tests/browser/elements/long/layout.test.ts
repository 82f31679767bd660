/** The layout of figures: properties of all, and a snapshot of each. */
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { DOCKED, openAlone, smallestTarget, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { TAGS } from '../../whole.js';

const { open, leave } = useBrowser();

/** Waits for two frames: one for resize observers, and one for what they draw. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Redraws a figure in another language. */
async function speak(figure: Locator, language: string): Promise<void> {
  await figure.evaluate((element, language) => {
    document.documentElement.lang = language;
    const copy = element.cloneNode() as Element;
    copy.removeAttribute('drawn');
    element.replaceWith(copy);
  }, language);
  await figure.and(figure.page().locator('[drawn]')).waitFor({ state: 'attached' });
}

/** A figure's parts that overflow it, and labels that overlap. */
function faults(figure: Locator): Promise<string[]> {
  return figure.evaluate((host) => {
    const within = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((each) => [
        each,
        ...(each.shadowRoot === null ? [] : within(each.shadowRoot)),
      ]);
    const all = within(host.shadowRoot!.querySelector('.stage')!).filter(
      (each) =>
        each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && each.closest('.spoken') === null,
    );
    const boxOf = (element: Element): DOMRect => {
      // Texts may overflow their boxes.
      const range = document.createRange();
      range.selectNodeContents(element);
      return (element.matches('canvas, svg, svg *') ? element : range).getBoundingClientRect();
    };
    const edge = host.getBoundingClientRect();
    const outside = all
      .filter((each) => each.matches('canvas, svg, svg text, p, th, td, label, legend, button, output, span'))
      // A row that scrolls.
      .filter((each) => each.closest('.samples') === null)
      .filter((each) => boxOf(each).width > 0 && (each.getRootNode() === host.shadowRoot || !each.matches('svg text')))
      .filter((each) => boxOf(each).right > edge.right + 1 || boxOf(each).left < edge.left - 1)
      .map((each) => `outside: ${each.localName} ${each.textContent.trim()}`);
    // Without labels of heat maps, which drop as many as needed, and a grid's numbers.
    const labels = all.filter(
      (each) =>
        each.matches('svg text:not(.plane .tick)') && each.getRootNode() === host.shadowRoot && boxOf(each).width > 0,
    );
    const touching = labels.flatMap((a, at) =>
      labels
        .slice(at + 1)
        .filter((b) => a.closest('svg') === b.closest('svg'))
        .filter((b) => {
          const [one, two] = [boxOf(a), boxOf(b)];
          const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
          return wide > 4 && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 4;
        })
        .map((b) => `touching: ${a.textContent.trim()}, ${b.textContent.trim()}`),
    );
    return [...outside, ...touching];
  });
}

test.each(TAGS)(
  '%s does not overflow at any width, labels do not overlap, and targets are large enough',
  async (tag) => {
    const wrong: unknown[] = [];
    const { page, figure } = await openAlone(open, tag, { viewport: { width: 1280, height: 844 } });
    for (const language of LANGUAGES) {
      await speak(figure, language);
      for (const [width, column] of [
        [390, ''],
        // A narrow column of a wide window.
        [1280, '420px'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await figure.evaluate((element, width) => (element.style.maxWidth = width), column);
        await settled(page);
        const found = await faults(figure);
        if ((await widthOf(page)) > width) found.push('the page is wider than the window');
        if ((await smallestTarget(figure)) < 24) found.push('a target is smaller than 24 px');
        if (found.length > 0) wrong.push({ language, width, column, found });
      }
    }
    expect(wrong).toEqual([]);
  },
);

/**
 * The outline of a saved drawing: its texts and parts with their places; for a part also its size, its texts, and its
 * numbers of shapes and colours. Lengths are rounded to multiples of four pixels.
 */
function outline(figure: Locator): Promise<string> {
  return figure.evaluate(async (element) => {
    const { svg } = await (element as HTMLElement & { picture(): Promise<{ svg: string }> }).picture();
    const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    const rounded = (each: Element, ...names: string[]): string =>
      names.map((name) => Math.round(parseFloat(each.getAttribute(name) ?? '0') / 4) * 4).join(' ');
    const shapesIn = (part: Element): string => {
      const shapes = [...part.querySelectorAll('circle, line, path, polygon, rect')];
      const colours = new Set(shapes.map((each) => `${each.getAttribute('fill')} ${each.getAttribute('stroke')}`));
      const texts = [...part.querySelectorAll('text')].map(({ textContent }) => textContent);
      return [`${shapes.length} shapes in ${colours.size} colours`, ...texts].join(' | ');
    };
    return [
      rounded(root, 'width', 'height'),
      ...[...root.querySelectorAll(':scope > svg, :scope > text')].map((each) =>
        each.localName === 'text'
          ? `${rounded(each, 'x', 'y')}: ${each.textContent}`
          : `${rounded(each, 'x', 'y', 'width', 'height')}: ${shapesIn(each)}`,
      ),
    ].join('\n');
  });
}

test.each(TAGS.flatMap((tag) => [[tag, 'en', 1280] as const, [tag, 'ko', 390] as const]))(
  '%s in %s is drawn as before at %i px',
  async (tag, language, width) => {
    const options = { language, viewport: { width, height: 844 }, reducedMotion: 'reduce' } as const;
    const { figure } = await openAlone(open, tag, options);
    // Some figures take a while.
    let last = '';
    let drawn = await outline(figure);
    while (drawn !== last) {
      await figure.page().waitForTimeout(200);
      [last, drawn] = [drawn, await outline(figure)];
    }
    expect(drawn).toMatchSnapshot();
  },
);

test.each([
  'attention-dropout',
  'attention-lookup',
  'attention-masks',
  'path-lengths',
  'position-training',
  'relative-biases',
  'rotary-pairs',
])('a phone shows the picture of %s and its controls at once', async (tag) => {
  const { figure } = await openAlone(open, tag, { viewport: { width: 390, height: 844 } });
  const controls = figure.locator(DOCKED);
  for (const block of ['start', 'center'] as const) {
    await figure
      .locator('.stage > :first-child')
      .evaluate((picture, block) => picture.scrollIntoView({ block, behavior: 'instant' }), block);
    const { y = NaN, height = NaN } = (await controls.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(844);
    // The picture has more than half of the window.
    expect(height).toBeLessThan(844 / 2);
    // Nothing covers them: a click on the middle of the last control reaches it.
    const reached = await controls.evaluate((element) => {
      const all = [...element.querySelectorAll('input, button')];
      const box = all.at(-1)!.getBoundingClientRect();
      const hit = (element.getRootNode() as ShadowRoot).elementFromPoint(
        box.left + box.width / 2,
        box.top + box.height / 2,
      );
      return element.contains(hit);
    });
    expect(reached).toBe(true);
  }
});

test('in a low window the controls stay below the picture', async () => {
  const { figure } = await openAlone(open, 'attention-masks', { viewport: { width: 390, height: 500 } });
  expect(
    await figure
      .locator('.controls')
      .first()
      .evaluate((element) => getComputedStyle(element).position),
  ).toBe('static');
});

test.each([
  'attention-dropout',
  'attention-lookup',
  'attention-masks',
  'complexity-race',
  'depth-collapse',
  'path-lengths',
  'permutation-demo',
  'relative-tables',
  'rotary-pairs',
  'length-extrapolation',
])('%s keeps its height while its texts become longer and shorter', async (tag) => {
  for (const [language, width] of [
    ['en', 390],
    ['id', 390],
    ['ko', 390],
    ['en', 1280],
  ] as const) {
    const { page, figure } = await openAlone(open, tag, { viewport: { width, height: 844 }, language });
    const height = async (): Promise<number> => (await figure.boundingBox())?.height ?? NaN;
    const slide = async (): Promise<number[]> => {
      const heights = [];
      for (const slider of await figure.locator('.slider input').all())
        for (const key of ['Home', 'End']) {
          await slider.press(key);
          heights.push(await height());
        }
      return heights;
    };
    // The first time may win goals, which then say once and for all what they teach.
    await slide();
    const heights = [await height(), ...(await slide())];
    for (const toggle of tag === 'permutation-demo' ? await figure.locator('.switches *').all() : []) {
      await toggle.click({ force: true });
      heights.push(await height());
    }
    expect({ language, width, grew: Math.max(...heights) - Math.min(...heights) > 1 }).toEqual({
      language,
      width,
      grew: false,
    });
    await leave(page);
  }
});
