import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classOf } from '../../scripts/figures.mjs';
import { figures } from '../../web/elements/registry.js';
import {
  fileName,
  linkName,
  linkTo,
  settingsInLink,
  withSettings,
  type Shareable,
} from '../../web/elements/shared/figure/share-link.js';
import { flag, oneOf, real, several, whole, words, type Settings } from '../../web/elements/shared/settings.js';

const settings = {
  length: whole(60, 2, 256),
  even: whole(16, 4, 32, 2),
  rate: real(0.5, 0, 1),
  kind: oneOf('ones', 'random'),
  on: flag(false),
  columns: several([6, 7], whole(0, 0, 127), { least: 1, most: 6 }),
  text: words('', 20),
} satisfies Settings;

const FIRST = { length: 60, even: 16, rate: 0.5, kind: 'ones', on: false, columns: [6, 7], text: '' };

/** A figure as links see it: its values, its id and its group. */
function figureOf(values: Readonly<Record<string, unknown>>, id = 'fig-x', group = ''): Shareable {
  const closest = (): { id: string } | null => (id === '' ? null : { id });
  return { ...FIRST, ...values, settings, group, localName: 'a-figure', closest } as unknown as Shareable;
}

const ADDRESS = 'https://example.org/en/?other=1#top';
const given = (text: string): Record<string, unknown> =>
  settingsInLink(figureOf({}), `https://example.org/?${new URLSearchParams({ 'fig-x': text }).toString()}`);

describe('a setting', () => {
  test.each([
    ['length', '2', 2],
    ['length', '1', undefined],
    ['length', '257', undefined],
    ['length', '2.5', undefined],
    ['length', '', undefined],
    ['length', 'NaN', undefined],
    ['length', 'Infinity', undefined],
    ['even', '5', undefined],
    ['even', '6', 6],
    ['rate', '0.25', 0.25],
    ['rate', '-0.1', undefined],
    ['kind', 'random', 'random'],
    ['kind', 'toString', undefined],
    ['on', 'yes', true],
    ['on', '', true],
    ['on', 'no', false],
    ['on', 'constructor', undefined],
    ['columns', '1, 2 3', [1, 2, 3]],
    ['columns', '', undefined],
    ['columns', '1 2 3 4 5 6 7', undefined],
    ['columns', '1 x', undefined],
    ['text', 'a'.repeat(50), 'a'.repeat(20)],
    ['text', '😀'.repeat(50), '😀'.repeat(20)],
  ] as const)('%s reads %j as %j', (name, text, value) => {
    expect(settings[name].read(text)).toEqual(value);
  });
});

describe('a link', () => {
  const state = fc.record({
    length: fc.integer({ min: 2, max: 256 }),
    even: fc.integer({ min: 2, max: 16 }).map((half) => 2 * half),
    rate: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom('ones', 'random'),
    on: fc.boolean(),
    columns: fc.array(fc.integer({ min: 0, max: 127 }), { minLength: 1, maxLength: 6 }),
    text: fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => Array.from(text).length <= 20),
  });

  test('restores every state', () => {
    fc.assert(
      fc.property(state, (values) => {
        const address = linkTo(figureOf(values), ADDRESS, FIRST);
        const back = { ...FIRST, ...settingsInLink(figureOf({}), address) };
        // −0 is written as 0.
        expect(back).toEqual({ ...values, rate: values.rate + 0 });
      }),
    );
  });

  test('has only what differs from the initial settings, keeps other parameters, and targets the figure', () => {
    expect(linkTo(figureOf({}), ADDRESS, FIRST)).toBe('https://example.org/en/?other=1#fig-x');
    expect(linkTo(figureOf({ length: 9 }), ADDRESS, FIRST)).toBe(
      'https://example.org/en/?other=1&fig-x=length%3D9#fig-x',
    );
    expect(withSettings(figureOf({ length: 9 }), ADDRESS, FIRST)).toBe(
      'https://example.org/en/?other=1&fig-x=length%3D9#top',
    );
    expect(withSettings(figureOf({}), withSettings(figureOf({ length: 9 }), ADDRESS, FIRST), FIRST)).toBe(ADDRESS);
    // An attribute may set a figure's first value.
    const first = { ...FIRST, length: 9 };
    expect(withSettings(figureOf({ length: 9 }), ADDRESS, first)).toBe(ADDRESS);
    expect(withSettings(figureOf({}), ADDRESS, first)).toBe('https://example.org/en/?other=1&fig-x=length%3D60#top');
  });

  test('names a figure by its group, else its id, else its tag; a file never by the group', () => {
    expect([linkName(figureOf({}, 'fig-x', 'P')), fileName(figureOf({}, 'fig-x', 'P'))]).toEqual(['P', 'fig-x']);
    expect(linkName(figureOf({}, 'fig-x'))).toBe('fig-x');
    expect([linkName(figureOf({}, '')), fileName(figureOf({}, ''))]).toEqual(['a-figure', 'a-figure']);
  });

  test('with values out of range changes nothing', () => {
    expect(given('length=9999&rate=-1&kind=zeros&columns=500&even=7&on=maybe')).toEqual({});
    expect(given('length=9999&rate=1')).toEqual({ rate: 1 });
  });

  test('cannot change anything but settings', () => {
    const before = Object.keys(Object.prototype);
    expect(given('__proto__=1&constructor=1&hasOwnProperty=1&settings=1&innerHTML=%3Cb%3E')).toEqual({});
    expect(Object.keys(Object.prototype)).toEqual(before);
  });
});

test('a figure’s folder, its tag and its class have one name, and no figure lies elsewhere', () => {
  const folder = new URL('../../web/elements/', import.meta.url);
  const defined = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, folder), 'utf8');
      return [...source.matchAll(/^defineFigure\('([a-z-]+)', (\w+)\)/gm)].map(([, tag, name]) => [file, tag, name]);
    });
  expect(defined.sort()).toEqual(Object.keys(figures).map((tag) => [`${tag}/${tag}.ts`, tag, classOf(tag)]));
});
