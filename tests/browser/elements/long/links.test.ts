/** The page under hostile URLs. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { figuresIn } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';
import { openWhole, TAGS, undrawn } from '../../whole.js';

const { open } = useBrowser();
type State = Record<string, Record<string, unknown>>;

interface Figure extends HTMLElement {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings of every figure of the page, by its name in links. */
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

/** Elements that only a malicious URL can have added. */
function injectedElements(page: Page): Promise<number> {
  return page.evaluate((tags) => {
    const roots = [document, ...[...document.querySelectorAll(tags)].map(({ shadowRoot }) => shadowRoot)];
    return roots.flatMap((root) => [...(root?.querySelectorAll('[onerror], [onload], marquee') ?? [])]).length;
  }, TAGS.join());
}

/** A query that sets every setting of every figure to this text. */
function everywhere(state: State, text: string): string {
  const query = new URLSearchParams();
  for (const [figure, settings] of Object.entries(state)) {
    const inner = new URLSearchParams(Object.keys(settings).map((name) => [name, text]));
    query.set(figure, String(inner));
  }
  return String(query);
}

/** Replaces the page's figures by new ones, under another query, and waits until they are drawn. */
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

/** The kind of a value. NaN has its own kind, and lists of any length have the same. */
function kind(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map(kind))].map(String).join() || 'number';
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'no number';
  return typeof value === 'object' ? value : typeof value;
}

describe.each([
  ['/en/', 'prose', 'fig-masks'],
  ['/en/further/', 'further', 'fig-rotary'],
] as const)('a share link to %s', (path, file, id) => {
  test('with invalid values leaves every figure as its author set it', async () => {
    const page = await openWhole(open, { path });
    const plain = await stateOf(page);
    expect(Object.keys(plain).length).toBe(figuresIn(file).length);
    // A valid link does change a figure, otherwise the rest would prove nothing.
    await redraw(page, `${id}=seed%3D3`);
    expect((await stateOf(page))[id]).toMatchObject({ seed: 3 });

    const texts = ['1e999', 'NaN', '-1e308', '<img src=x onerror=alert(1)>', '__proto__', '\0', '%', '9'.repeat(5000)];
    // A text field accepts any text; the next test is about that.
    const numbers = Object.fromEntries(
      Object.entries(plain).map(([name, settings]) => {
        const strict = Object.entries(settings).filter(([, value]) => typeof value !== 'string' || value === '');
        return [name, Object.fromEntries(strict.filter(([, value]) => value !== ''))];
      }),
    );
    const queries = [
      ...texts.map((text) => everywhere(numbers, text)),
      'fig-gone=seed%3D5&fig-sinusoid=wavelength%3D7&P=__proto__%3D1%26constructor%3D2%26gone%3D3',
      `__proto__=valid%3D1&constructor=valid%3D1&toString=1&${id}[seed]=1`,
      `${id}=seed&${id}=seed%3D3&&&=&?=?&fig-follow=word`,
      `${id}=%E0%A4%A&P=%FF%FE&%ZZ=%`,
    ];
    for (const query of queries) {
      await redraw(page, query);
      expect({ query: query.slice(0, 80), undrawn: await undrawn(page) }).toEqual({
        query: query.slice(0, 80),
        undrawn: [],
      });
      expect(await stateOf(page)).toEqual(plain);
      expect(await injectedElements(page)).toBe(0);
    }
  });

  test('with HTML and thousands of characters in every setting is harmless', async () => {
    const markup = '<img src=x onerror=alert(1)><marquee>'.repeat(200);
    const plain = await stateOf(await openWhole(open, { path }));
    const page = await open({ path: `${path}?${everywhere(plain, markup).slice(0, 6000)}` });
    expect(await undrawn(page)).toEqual([]);
    expect(await injectedElements(page)).toBe(0);
  });

  test('of any kind leaves figures drawn, with settings of the right types', async () => {
    const page = await openWhole(open, { path });
    const plain = await stateOf(page);
    const kinds = (state: State): unknown => JSON.parse(JSON.stringify(state, (_, value: unknown) => kind(value)));
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.double().map(String),
      fc.integer({ min: -5, max: 70 }).map(String),
      fc.array(fc.double(), { maxLength: 20 }).map((all) => all.join(' ')),
      fc.constantFrom('yes', 'no', '', 'eval', 'd', 'halves', 't5', 'loss', 'positions', '<b>', '\u202e', '\ud800'),
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
