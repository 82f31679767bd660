import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { figures } from '../../../../web/elements/registry.js';
import { DOCKED, openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();
const viewport = { width: 390, height: 844 };

test.each([
  'attention-dropout',
  'attention-heads',
  'attention-lookup',
  'attention-masks',
  'attention-tokens',
  'path-lengths',
  'position-training',
  'relative-biases',
  'rotary-pairs',
])('a phone shows the picture of %s and its controls at once', async (tag) => {
  const { figure } = await openAlone(open, tag, { viewport });
  const controls = figure.locator(DOCKED);
  for (const block of ['start', 'center'] as const) {
    await figure
      .locator('.stage > :first-child')
      .evaluate((picture, block) => picture.scrollIntoView({ block, behavior: 'instant' }), block);
    const { y = NaN, height = NaN } = (await controls.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(viewport.height);
    // More than half of the window is left for the picture.
    expect(height).toBeLessThan(viewport.height / 2);
    // Nothing lies over them: the middle of the last control is theirs.
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

/** The bar at the page's top leaves so much less of a phone. */
const BAR = 45;

test.each([
  ['binary-positions', '.plot'],
  ['encoding-rotation', '.legend'],
] as const)('a phone shows the controls above the picture of %s and all of it at once', async (tag, end) => {
  for (const language of LANGUAGES) {
    const { page, figure } = await openAlone(open, tag, { viewport, language });
    const top = (await figure.locator('.controls').boundingBox())!.y;
    const last = (await figure.locator(`.stage > ${end}`).boundingBox())!;
    expect(last.y + last.height - top).toBeLessThanOrEqual(viewport.height - BAR);
    await leave(page);
  }
});

/**
 * Controls that do not stay at the window's end, with how much of the picture is seen when they are at the window's
 * other end.
 */
function seenBeside(figure: Locator): Promise<[control: string, seen: number][]> {
  return figure.evaluate(
    ({ shadowRoot }, { docked, room }) => {
      const within = (selector: string): Element[] =>
        [...shadowRoot!.querySelectorAll(`.stage ${selector}`)].filter((each) => each.checkVisibility());
      const dock = within(docked).find((each) => getComputedStyle(each).position === 'sticky') as
        HTMLElement | undefined;
      dock?.style.setProperty('position', 'static');
      const parts = within(
        '> :not(.controls, .sliders, .choices, .switches, button, p, .legend, .under, .spoken, .counts)',
      );
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const picture = {
        top: Math.min(...boxes.map(({ top }) => top)),
        bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      };
      return within(':is(input, select, button)')
        .filter((control) => control.closest('.controls') !== null && dock?.contains(control) !== true)
        .map((control) => {
          const { top, bottom } = control.getBoundingClientRect();
          const above = top < picture.top;
          const from = above ? top : bottom - room;
          const to = above ? top + room - (dock?.clientHeight ?? 0) : bottom;
          const seen = Math.min(to, picture.bottom) - Math.max(from, picture.top);
          return [control.id || control.parentElement!.textContent.trim(), seen / (picture.bottom - picture.top)];
        });
    },
    { docked: DOCKED, room: viewport.height - BAR },
  );
}

test.each(Object.keys(figures))('a phone shows each control of %s with nearly all of the picture', async (tag) => {
  for (const language of ['en', 'id']) {
    const { page, figure } = await openAlone(open, tag, { viewport, language });
    expect((await seenBeside(figure)).filter(([, seen]) => seen < 0.85)).toEqual([]);
    const covered = await figure
      .locator(DOCKED)
      .evaluateAll((all) => Math.max(0, ...all.map((dock) => dock.clientHeight)));
    expect(covered).toBeLessThan(0.4 * viewport.height);
    await leave(page);
  }
});

test.each(['attention-heads', 'attention-tokens'])(
  'the controls of %s cover no more than an eighth of a phone, in any language',
  async (tag) => {
    const heights: number[] = [];
    for (const language of LANGUAGES) {
      const { page, figure } = await openAlone(open, tag, { viewport, language });
      heights.push((await figure.locator(DOCKED).boundingBox())!.height);
      await leave(page);
    }
    expect(Math.max(...heights)).toBeLessThan(viewport.height / 8);
  },
);

test.each(LANGUAGES)(
  'on a phone every slider keeps its label, value and track in its box, and is aligned with its neighbours (%s)',
  async (language) => {
    const page = await open({ path: `/${language}/`, viewport });
    // The longest value of most sliders has three characters.
    await page.locator('.slider output').evaluateAll((all) => {
      for (const output of all) output.append('0'.repeat(Math.max(0, 3 - output.textContent.length)));
    });
    for (const width of [390, 375, 360]) {
      await page.setViewportSize({ width, height: viewport.height });
      const wrong = await page.locator('.slider').evaluateAll((all) => {
        const boxOf = (element: Element | Range): DOMRect => element.getBoundingClientRect();
        const shown = all
          .filter((slider) => slider.checkVisibility())
          .map((slider) => {
            const [label, output, input] = ['label', 'output', 'input'].map((part) => slider.querySelector(part)!) as [
              Element,
              Element,
              Element,
            ];
            const text = document.createRange();
            text.selectNodeContents(label);
            return { slider, label, output, input, text };
          });
        return shown
          .filter(({ slider, output, input, text }) => {
            const { left, right } = boxOf(slider);
            const [value, track] = [boxOf(output), boxOf(input)];
            const fits = [boxOf(text), value, track].every((box) => box.left >= left - 0.5 && box.right <= right + 0.5);
            const over = [...text.getClientRects()].some(
              (line) => line.right > value.left && line.bottom > value.top + 2 && line.top < value.bottom - 2,
            );
            const ragged = shown.some(
              (other) =>
                other.slider.parentElement === slider.parentElement &&
                boxOf(other.slider).top < track.top &&
                boxOf(other.slider).bottom > track.top &&
                (Math.abs(boxOf(other.input).top - track.top) > 1 ||
                  Math.abs(boxOf(other.output).bottom - value.bottom) > 1),
            );
            return !fits || over || ragged;
          })
          .map(({ label }) => label.textContent);
      });
      expect({ width, wrong }).toEqual({ width, wrong: [] });
    }
  },
);

test('a window with little height keeps its controls below the picture', async () => {
  const { figure } = await openAlone(open, 'attention-masks', { viewport: { width: 390, height: 500 } });
  expect(await figure.locator('.controls').evaluate((element) => getComputedStyle(element).position)).toBe('static');
});

test('a screen of a laptop shows the maps of attention-tokens and all controls below the bar', async () => {
  for (const language of LANGUAGES) {
    const size = { width: 1280, height: 800 };
    const page = await open({ path: `/${language}/`, viewport: size, figures: ['attention-tokens'] });
    const { height } = (await page.locator('attention-tokens').boundingBox())!;
    expect(height).toBeLessThanOrEqual(size.height - BAR);
    await leave(page);
  }
});
