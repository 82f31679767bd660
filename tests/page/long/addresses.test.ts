/** Reading any URL neither throws nor accepts anything invalid. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import {
  linkTo,
  settingsInLink,
  withSettings,
  type Shareable,
} from '../../../web/elements/shared/figure/share-link.js';
import { flag, oneOf, real, several, whole, words, type Settings } from '../../../web/elements/shared/settings.js';
import { answer, type Kept } from '../../../web/page/offline/kept.js';
import { setPlace } from '../../../web/page/reading-place.js';
import { addressTails } from '../../support/addresses.js';
import '../../support/fuzzSeed.js';

const RUNS = 2000;

const settings = {
  length: whole(60, 2, 256),
  rate: real(0.5, 0, 1),
  kind: oneOf('ones', 'random'),
  on: flag(false),
  columns: several([6, 7], whole(0, 0, 127), { least: 1, most: 6 }),
  text: words('', 20),
} satisfies Settings;
const FIRST = Object.fromEntries(Object.entries(settings).map(([name, { initial }]) => [name, initial]));
const figure = (values: Readonly<Record<string, unknown>>): Shareable =>
  ({
    ...FIRST,
    ...values,
    settings,
    localName: 'a-figure',
    closest: () => ({ id: 'fig-x' }),
  }) as unknown as Shareable;

test('a figure accepts only valid settings from it, and writes them back', () => {
  fc.assert(
    fc.property(addressTails(['fig-x', 'place'], Object.keys(settings)), (tail) => {
      const { href } = new URL(tail, 'https://example.org/en/');
      const given = settingsInLink(figure({}), href);
      for (const [name, value] of Object.entries(given)) {
        const setting = (settings as Settings)[name];
        expect(setting?.read(setting.write(value))).toEqual(value);
      }
      const written = withSettings(figure(given), href, FIRST);
      expect(settingsInLink(figure({}), written)).toEqual(
        Object.fromEntries(Object.entries(given).filter(([name, value]) => !equal(value, FIRST[name]))),
      );
      expect(new URL(linkTo(figure(given), href, FIRST)).hash).toBe('#fig-x');
    }),
    { numRuns: RUNS },
  );
});

test('a figure’s settings are read from any text, and only allowed values are returned', () => {
  const name = fc.oneof(fc.constantFrom(...Object.keys(settings), '__proto__', 'constructor'), fc.string());
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('NaN', '-0', '1e400', '0x10', '[1,2]', '{"a":1}', '\u0000', '💥', '%', '٣', '1e2'),
    fc.double().map(String),
    fc.array(fc.integer()).map(String),
    fc.constant('9 '.repeat(20_000)),
  );
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 6 });
  fc.assert(
    fc.property(pairs, (all) => {
      // A lone surrogate is not allowed in a URL; the browser's parser replaces it.
      const text = all.map(([key, word]) => `${key}=${word}`).join('&');
      const address = `https://example.org/?${new URLSearchParams({ 'fig-x': text }).toString()}`;
      const read = settingsInLink(figure({}), address);
      for (const [key, got] of Object.entries(read)) {
        const setting = (settings as Settings)[key];
        expect(setting).toBeDefined();
        // What was read can be written and read again.
        expect(setting?.read(setting.write(got))).toEqual(got);
      }
    }),
    { numRuns: 300 },
  );
});

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

test('a link to another language carries it along', () => {
  fc.assert(
    fc.property(addressTails(['fig-x', 'place'], []), (tail) => {
      const here = new URL(tail, 'https://example.org/en/');
      Object.assign(globalThis, { location: here });
      const link = new URL('https://example.org/ko/');
      setPlace(link as unknown as HTMLAnchorElement, { id: 'eq-1', at: '3.5px' });
      expect(link.searchParams.get('place')).toBe('3.5px');
      expect(link.hash).toBe('#eq-1');
    }),
    { numRuns: RUNS },
  );
});

let before: Record<string, unknown>;
beforeEach(() => {
  const { location, caches, fetch } = globalThis as Record<string, unknown>;
  before = { location, caches, fetch };
});
afterEach(() => {
  jest.useRealTimers();
  Object.assign(globalThis, before);
});

test('without a network it leads to the kept page, or to none', async () => {
  // A late page is not awaited.
  jest.useFakeTimers();
  const scope = 'https://example.org/some/where/';
  const content = 'the page';
  const hash = createHash('sha256').update(content).digest('base64');
  const pages = ['', 'en/', 'ko/'].map((path) => scope + path);
  const kept: Kept = {
    family: 'x ',
    name: 'x 1',
    files: new Map(pages.map((page) => [page, { hash, type: 'text/html' }])),
  };
  const cache = {
    match: (address: string) => Promise.resolve(pages.includes(address) ? new Response(content) : undefined),
  };
  const gone = new TypeError('no network');
  Object.assign(globalThis, {
    caches: { open: () => Promise.resolve(cache) },
    fetch: () => Promise.reject(gone),
  });
  const path = fc.constantFrom('', 'en/', 'en', 'en/index.html', 'ko', 'none/', '%', 'en/%', '//', 'en//');
  await fc.assert(
    fc.asyncProperty(path, addressTails(['place'], []), async (path, tail) => {
      const { href: url } = new URL(scope + path + tail);
      const got = await answer(kept, { mode: 'navigate', url } as Request).catch((error: unknown) => error);
      if (/^(|en|en\/|en\/index\.html|ko)$/.test(path)) expect(got).toBeInstanceOf(Response);
      else expect(got).toBe(gone);
      if (got instanceof Response && got.status === 200) expect(await got.text()).toBe(content);
    }),
    { numRuns: RUNS },
  );
});
