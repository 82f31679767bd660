/** The page in browsers that deny it something, and under addresses that mean it no good. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { registry } from '../../../web/elements/registry.js';
import en from '../../../web/elements/strings/en.json' with { type: 'json' };
import ko from '../../../web/elements/strings/ko.json' with { type: 'json' };
import { openAlone } from '../alone.js';
import { useBrowser, type PageOptions } from '../browser.js';

const { open } = useBrowser();
const TAGS = Object.keys(registry);
type State = Record<string, Record<string, unknown>>;

/** The page with every answer open, and the figures in there drawn as well. */
async function openWhole(options?: PageOptions): Promise<Page> {
  const page = await open(options);
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  // Where it stands in the list does not change while it is drawn.
  for (const figure of await page.locator(TAGS.join()).all()) {
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await figure.and(page.locator('[drawn]')).waitFor({ state: 'attached' });
  }
  return page;
}

interface Figure extends HTMLElement {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings of every figure of the page, by the name that links have for it. */
function stateOf(page: Page): Promise<State> {
  return page.evaluate((tags) => {
    const figures = [...document.querySelectorAll<Figure>(tags)].filter((each) => 'settings' in each);
    return Object.fromEntries(
      figures.map((figure) => {
        const values = figure as unknown as Readonly<Record<string, unknown>>;
        const name = figure.getAttribute('group') ?? figure.closest('[id]')?.id ?? figure.localName;
        return [name, Object.fromEntries(Object.keys(figure.settings).map((key) => [key, values[key]]))];
      }),
    );
  }, TAGS.join());
}

/** Elements that nobody but an address can have brought in. */
function strangers(page: Page): Promise<number> {
  return page.evaluate((tags) => {
    const roots = [document, ...[...document.querySelectorAll(tags)].map(({ shadowRoot }) => shadowRoot)];
    return roots.flatMap((root) => [...(root?.querySelectorAll('[onerror], [onload], marquee') ?? [])])
      .length;
  }, TAGS.join());
}

/** Figures that show nothing, or a sentence in place of their picture. */
function undrawn(page: Page): Promise<string[]> {
  return page.evaluate((tags) => {
    const bare = (figure: Element): boolean => figure.shadowRoot?.querySelector('.stage') == null;
    const seen = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
    return seen.filter(bare).map(({ localName }) => localName);
  }, TAGS.join());
}

/** Each setting of each figure has this text. */
function everywhere(state: State, text: string): string {
  const query = new URLSearchParams();
  for (const [figure, settings] of Object.entries(state)) {
    const inner = new URLSearchParams(Object.keys(settings).map((name) => [name, text]));
    query.set(figure, String(inner));
  }
  return String(query);
}

describe('a share link', () => {
  test('with values that no setting takes leaves every figure as its author set it', async () => {
    const page = await openWhole();
    const plain = await stateOf(page);
    // Two figures have their settings in common.
    expect(Object.keys(plain).length).toBe(TAGS.length - 1);
    // A good link does change a figure, or the rest would prove nothing.
    await redraw(page, 'fig-masks=valid%3D3%26causal%3Dno');
    expect((await stateOf(page))['fig-masks']).toMatchObject({ valid: 3, causal: false });

    const texts = [
      '1e999',
      'NaN',
      '-1e308',
      '<img src=x onerror=alert(1)>',
      '__proto__',
      '\0',
      '%',
      '9'.repeat(5000),
    ];
    // A text field takes any text; what it does with it is the next test's.
    const numbers = Object.fromEntries(
      Object.entries(plain).map(([name, settings]) => {
        const strict = Object.entries(settings).filter(
          ([, value]) => typeof value !== 'string' || value === '',
        );
        return [name, Object.fromEntries(strict.filter(([, value]) => value !== ''))];
      }),
    );
    const queries = [
      ...texts.map((text) => everywhere(numbers, text)),
      'fig-gone=seed%3D5&fig-sinusoid=wavelength%3D7&P=__proto__%3D1%26constructor%3D2%26gone%3D3',
      '__proto__=valid%3D1&constructor=valid%3D1&toString=1&fig-masks[valid]=1',
      'fig-masks=valid&fig-masks=valid%3D3&&&=&?=?&fig-tokens=seed',
      'fig-masks=%E0%A4%A&P=%FF%FE&%ZZ=%',
    ];
    for (const query of queries) {
      await redraw(page, query);
      expect({ query: query.slice(0, 80), undrawn: await undrawn(page) }).toEqual({
        query: query.slice(0, 80),
        undrawn: [],
      });
      expect(await stateOf(page)).toEqual(plain);
      expect(await strangers(page)).toBe(0);
    }
  });

  test('with HTML and thousands of characters for every setting is met on a page of its own', async () => {
    const markup = '<img src=x onerror=alert(1)><marquee>'.repeat(200);
    const plain = await stateOf(await openWhole());
    const page = await open({ path: `/en/?${everywhere(plain, markup).slice(0, 6000)}` });
    expect(await undrawn(page)).toEqual([]);
    expect(await strangers(page)).toBe(0);
  });

  test('of any kind leaves figures that draw, whose settings are of their kind', async () => {
    const page = await openWhole();
    const plain = await stateOf(page);
    const kinds = (state: State): unknown =>
      JSON.parse(JSON.stringify(state, (_, value: unknown) => kind(value)));
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.double().map(String),
      fc.integer({ min: -5, max: 70 }).map(String),
      fc.array(fc.double(), { maxLength: 20 }).map((all) => all.join(' ')),
      fc.constantFrom(
        'yes',
        'no',
        '',
        'eval',
        'd',
        'halves',
        't5',
        'loss',
        'positions',
        '<b>',
        '\u202e',
        '\ud800',
      ),
    );
    const pairs = Object.entries(plain).flatMap(([figure, settings]) =>
      Object.keys(settings).map((name) => [figure, name] as const),
    );
    const link = fc.array(fc.tuple(fc.constantFrom(...pairs), value), { minLength: 10, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(link, async (entries) => {
        const query = new URLSearchParams();
        for (const [[figure, name], text] of entries) {
          const inner = new URLSearchParams(query.get(figure) ?? '');
          inner.set(name, text);
          query.set(figure, String(inner));
        }
        await redraw(page, String(query));
        expect(await undrawn(page)).toEqual([]);
        expect(kinds(await stateOf(page))).toEqual(kinds(plain));
      }),
      { numRuns: 20, seed: 20260731, endOnFailure: true },
    );
  });
});

/** What a value is: numbers that are none are of another kind, and lists may have other lengths. */
function kind(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map(kind))].map(String).join() || 'number';
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'no number';
  return typeof value === 'object' ? value : typeof value;
}

/** Puts fresh figures in the places of the page's, under another query, and waits until they are drawn. */
async function redraw(page: Page, query: string): Promise<void> {
  await page.evaluate(
    async ([search, tags]) => {
      history.replaceState(null, '', `?${search}`);
      const all = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
      const fresh = all.map((figure) => {
        const copy = document.createElement(figure.localName);
        for (const { name, value } of figure.attributes)
          if (!['drawn', 'style'].includes(name)) copy.setAttribute(name, value);
        figure.replaceWith(copy);
        return copy;
      });
      const end = performance.now() + 8000;
      while (!fresh.every((figure) => figure.hasAttribute('drawn'))) {
        if (performance.now() > end) throw new Error(`expected figures to draw themselves under ${search}`);
        await new Promise(requestAnimationFrame);
      }
    },
    [query, TAGS.join()] as const,
  );
}

/** An engine that knows WebAssembly, but not SIMD: it takes no module that uses it. */
const NO_SIMD = `
  const refuse = () => Promise.reject(new WebAssembly.CompileError('invalid opcode 0xfd'));
  Object.assign(WebAssembly, { validate: () => false, compile: refuse, compileStreaming: refuse });
  Object.assign(WebAssembly, { instantiate: refuse, instantiateStreaming: refuse });`;

/** Cells compute in workers, which have their own globals: the lack of them is put in front of their scripts. */
const inWorkers = (script: string): string => `
  const Whole = Blob;
  self.Blob = class extends Whole {
    constructor(parts, options) {
      super([${JSON.stringify(script.replaceAll('\n', ' '))}, ...(parts ?? [])], options);
    }
  };`;

describe.each([
  ['WebAssembly', 'delete globalThis.WebAssembly;'],
  ['SIMD', NO_SIMD],
])('without %s', (_, script) => {
  test.each([
    ['en', en],
    ['ko', ko],
  ])('every figure says so in the language of the page (%s), which can be read', async (language, words) => {
    const page = await openWhole({ path: `/${language}/`, script });
    const said = await page.evaluate((tags) => {
      const seen = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
      return seen.map((figure) => [figure.localName, figure.shadowRoot?.textContent?.trim()]);
    }, TAGS.join());
    expect(new Set(said.map(([tag]) => tag)).size).toBe(TAGS.length);
    expect(said).toEqual(said.map(([tag]) => [tag, words.unsupported]));
    expect(await page.locator('main math').first().boundingBox()).toMatchObject({
      height: expect.any(Number),
    });
    expect((await page.locator('main').innerText()).length).toBeGreaterThan(10_000);
  });

  test('a code cell says so', async () => {
    const page = await open({ figures: [], script: inWorkers(script) });
    const cell = page.locator('code-cell').first();
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.run').click();
    await cell.locator('p.status.off').waitFor();
    expect(await cell.locator('p.status').innerText()).toMatch(/WebAssembly/);
    expect(await cell.locator('pre').first().innerText()).toContain('wasm-attention');
  });
});

describe('without workers', () => {
  const script = 'delete globalThis.Worker;';

  test.each([
    ['en', en],
    ['ko', ko],
  ])('what needs one says so (%s), and the rest works', async (language, words) => {
    const page = await openWhole({ path: `/${language}/`, script });
    expect(await undrawn(page)).toEqual([]);

    const race = page.locator('complexity-race');
    await race.getByRole('button', { name: words['race.start'] }).click();
    await race.getByText(words['race.noWorker']).first().waitFor();

    const training = page.locator('position-training');
    await training.locator('.buttons button').first().click();
    await training.getByText(words['training.failed']).first().waitFor();

    const extrapolation = page.locator('length-extrapolation');
    await extrapolation.getByRole('button', { name: words['extrapolation.train'] }).click();
    await extrapolation.getByText(words['training.failed']).first().waitFor();

    const cell = page.locator('code-cell').first();
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.run').click();
    await cell.getByText(words['cell.unavailable']).waitFor();

    // No engine's own words in front of a reader: they are English, and no help.
    for (const figure of [race, training, extrapolation, cell]) {
      expect(await figure.innerText()).not.toMatch(/\w*Error|not defined/);
    }
  });
});

test('where storage, caches and service workers are denied the page is as it was', async () => {
  const script = `
    const deny = (object, name) =>
      Object.defineProperty(object, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
    for (const name of ['localStorage', 'sessionStorage', 'caches', 'indexedDB']) deny(window, name);
    deny(Document.prototype, 'cookie');
    deny(Navigator.prototype, 'serviceWorker');
    deny(Navigator.prototype, 'storage');`;
  const page = await open({ offline: true, script });
  expect(await page.evaluate(() => Reflect.has(navigator, 'serviceWorker'))).toBe(true);
  expect(await undrawn(page)).toEqual([]);
  // The page asks for its service worker a second after it has been loaded.
  await page.waitForFunction(() => performance.now() > 2500 && document.readyState === 'complete');
  await page.locator('code-cell').first().scrollIntoViewIfNeeded();
  await page.locator('code-cell').first().locator('.run').click();
  await page.locator('code-cell').first().locator('.output > *').first().waitFor();
});

test.each([
  ['is denied', `{ writeText: () => Promise.reject(new DOMException('denied', 'NotAllowedError')) }`],
  ['is not there', 'undefined'],
])('where the clipboard %s a figure shows its link in a field, selected', async (_, value) => {
  const { page, figure } = await openAlone(open, 'attention-masks', {
    script: `Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => (${value}) });`,
  });
  await figure.evaluate((element) =>
    (element as HTMLElement & { change(to: object): void }).change({ valid: 3 }),
  );
  await figure.getByRole('button', { name: en['tools.link'] }).click();
  const field = figure.locator('input.address');
  expect([...new URL(await field.inputValue()).searchParams.values()]).toEqual(['valid=3']);
  const { length } = await field.inputValue();
  expect(
    await field.evaluate((input: HTMLInputElement) => [
      input.selectionStart,
      input.selectionEnd,
      (input.getRootNode() as ShadowRoot).activeElement === input,
    ]),
  ).toEqual([0, length, true]);
  expect(new URL(page.url()).pathname).toBe('/gallery/');
});

test.each([
  ['one word', 'a'],
  ['blanks', ' '],
  ['lone surrogates', '\ud83d'],
  ['marks on one letter', '\u0301'],
  ['lines', '東\n'],
])('100,000 characters of %s, pasted, take less than three seconds and leave a picture', async (_, piece) => {
  const { page, figure } = await openAlone(open, 'attention-tokens');
  const field = figure.locator('input[type=text]').first();
  await field.focus();
  const text = piece.repeat(100_000 / piece.length);
  // The keyboard's way to insert text at once, as pasting does.
  const start = performance.now();
  await page.keyboard.insertText(text);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const took = performance.now() - start;
  expect(took).toBeLessThan(3000);
  expect(await figure.locator('.heads heat-map').count()).toBe(6);
  expect(await figure.locator('.large heat-map .column-ticks text').count()).toBeLessThanOrEqual(16);
  // The address carries what is used, not what was pasted.
  expect(page.url().length).toBeLessThan(10_000);
});
