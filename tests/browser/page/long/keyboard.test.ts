/** Every figure by keyboard alone: its tab stops, their order, their effects, and a visible focus. */
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { figures } from '../../../../web/elements/registry.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

/** The focused control: its index in the figure's tab order, and whether the focus is visible. */
interface Place {
  readonly index: number;
  readonly name: string;
  readonly visible: boolean;
}

/** Numbers all expected tab stops in tree order, including nested shadow trees; returns their names. */
function numberStops(figure: Locator): Promise<string[]> {
  return figure.evaluate((host) => {
    const stops: Element[] = [];
    const groups = new Set<string>();
    const walk = (root: ParentNode): void => {
      for (const element of root.querySelectorAll('*')) {
        if (isStop(element)) stops.push(element);
        if (element.shadowRoot !== null) walk(element.shadowRoot);
      }
    };
    const isStop = (element: Element): boolean => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(':disabled')) return false;
      if (element.getAttribute('tabindex') !== null) return element.getAttribute('tabindex') === '0';
      if (!element.matches('input, button, select, textarea, a[href], summary')) return false;
      if (!element.matches('input[type=radio]')) return true;
      // In a group of radio buttons, Tab reaches the checked one.
      const radio = element as HTMLInputElement;
      const root = radio.getRootNode() as ShadowRoot;
      const group = [...root.querySelectorAll<HTMLInputElement>(`input[name="${radio.name}"]`)];
      if (group.some((each) => each.checked)) return radio.checked;
      if (groups.has(radio.name)) return false;
      groups.add(radio.name);
      return true;
    };
    walk(host.shadowRoot!);
    stops.forEach((stop, index) => {
      stop.setAttribute('data-stop', String(index));
      // Shapes show the focus by their strokes; the widths without focus are stored for comparison.
      const strokes = [...stop.querySelectorAll('*')].map((each) => getComputedStyle(each).strokeWidth);
      if (stop instanceof SVGElement) stop.setAttribute('data-strokes', strokes.join());
    });
    return stops.map((stop) => `${stop.localName} ${stop.id || (stop.textContent ?? '').trim().slice(0, 30)}`);
  });
}

function place(figure: Locator): Promise<Place | undefined> {
  return figure.evaluate((host) => {
    if (document.activeElement !== host) return undefined;
    let element: Element = host;
    while (element.shadowRoot?.activeElement != null) element = element.shadowRoot.activeElement;
    const rings = [element, ...element.querySelectorAll('*'), element.parentElement ?? element];
    const visible = rings.some((each) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    });
    const strokes = [...element.querySelectorAll('*')].map((each) => getComputedStyle(each).strokeWidth);
    const stroked = element instanceof SVGElement && strokes.join() !== element.getAttribute('data-strokes');
    return {
      index: Number(element.getAttribute('data-stop') ?? NaN),
      name: `${element.localName}${element.id === '' ? '' : `#${element.id}`}`,
      visible: (visible || stroked) && element.matches(':focus-visible'),
    };
  });
}

/** Presses Tab or Shift+Tab until the focus has gone into the figure, through it and out again. */
async function walkThrough(page: Page, figure: Locator, key: string, most: number): Promise<Place[]> {
  const places: Place[] = [];
  for (let press = 0; press <= most + 2; ++press) {
    await page.keyboard.press(key);
    const now = await place(figure);
    if (now === undefined) return places;
    places.push(now);
  }
  throw new Error(`expected ${key} to leave the figure after ${most} stops; it stays among ${places.at(-1)?.name}`);
}

test.each(Object.keys(figures))('%s is entered, used and left by keyboard', async (tag) => {
  const { page, figure } = await openAlone(open, tag);
  await page.evaluate(() => {
    for (const [place, where] of [
      ['before', 'beforebegin'],
      ['after', 'afterend'],
    ] as const) {
      const button = document.createElement('button');
      button.id = place;
      document.querySelector('main > *:not(button)')!.insertAdjacentElement(where, button);
    }
  });
  // Where it is narrow, it has the stops of the part that is shown, which follows the focus.
  if (tag === 'follow-word')
    await page.locator('main').evaluate(({ style }) => (style.cssText = 'display: block; grid-column: full'));
  const stops = await numberStops(figure);
  // Every figure has at least its tools.
  expect(stops.length).toBeGreaterThanOrEqual(3);
  const order = stops.map((_, index) => index);

  await page.locator('#before').focus();
  const forth = await walkThrough(page, figure, 'Tab', stops.length);
  expect(forth.map(({ index }) => index)).toEqual(order);
  expect(forth.filter(({ visible }) => !visible)).toEqual([]);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('after');
  const back = await walkThrough(page, figure, 'Shift+Tab', stops.length);
  expect(back.map(({ index }) => index)).toEqual(order.toReversed());
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('before');

  await useSliders(page, figure);
  await useRadios(page, figure);
  await useButtons(page, figure);
});

async function useSliders(page: Page, figure: Locator): Promise<void> {
  for (const slider of await figure.locator('input[type=range]:enabled').all()) {
    if (!(await slider.isVisible())) continue;
    const value = (): Promise<number> => slider.evaluate((input: HTMLInputElement) => input.valueAsNumber);
    await slider.focus();
    await page.keyboard.press('Home');
    const least = await value();
    await page.keyboard.press('ArrowRight');
    const more = await value();
    expect({ slider: await slider.getAttribute('id'), rises: more > least }).toMatchObject({ rises: true });
    await page.keyboard.press('ArrowLeft');
    expect(await value()).toBe(least);
  }
  await figure.evaluate((host) => (host as HTMLElement & { reset(): void }).reset());
}

async function useRadios(page: Page, figure: Locator): Promise<void> {
  const radios = figure.locator('input[type=radio]:enabled');
  const names = new Set(await radios.evaluateAll((all) => all.map((radio) => (radio as HTMLInputElement).name)));
  for (const name of names) {
    const group = figure.locator(`input[type=radio][name="${name}"]`);
    const chosen = (): Promise<number> =>
      group.evaluateAll((all) => all.findIndex((radio) => (radio as HTMLInputElement).checked));
    const before = await chosen();
    await group.nth(Math.max(0, before)).focus();
    await page.keyboard.press('ArrowRight');
    const after = await chosen();
    expect({ name, moved: after !== before && after >= 0 }).toEqual({ name, moved: true });
    if (before < 0) continue;
    await page.keyboard.press('ArrowLeft');
    expect(await chosen()).toBe(before);
  }
}

/** Expects Enter or Space to click each button; an error in what the button does fails the test through the console. */
async function useButtons(page: Page, figure: Locator): Promise<void> {
  const buttons = await figure.locator('button:enabled').all();
  const key = (index: number): string => (index % 2 === 0 ? 'Enter' : 'Space');
  for (const [index, button] of buttons.entries()) {
    // An earlier button may have removed it (start and stop), or disabled it.
    const usable = (await button.count()) > 0 && (await button.isVisible()) && (await button.isEnabled());
    if (!usable) continue;
    // Full screen and saved files have their own tests.
    if (/^(Full screen|Save)/.test((await button.innerText()).trim())) continue;
    await button.focus();
    await page.evaluate(() => {
      document.documentElement.dataset.clicked = 'no';
      const note = (): void => void (document.documentElement.dataset.clicked = 'yes');
      document.addEventListener('click', note, { once: true, capture: true });
    });
    await page.keyboard.press(key(index));
    // A busy browser clicks some time after the key.
    const clicked = page.waitForFunction(() => document.documentElement.dataset.clicked === 'yes', null, {
      timeout: 3000,
    });
    const pressed = await clicked.then(
      () => 'yes',
      () => 'no',
    );
    expect({ button: index, pressed }).toEqual({ button: index, pressed: 'yes' });
  }
}
