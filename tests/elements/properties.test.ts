/** Frameworks set properties, readers of the documentation attributes: both read the same texts. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classOf } from '../../scripts/figures.mjs';
import * as classes from '../../web/elements/index.js';
import { figures, parts } from '../../web/elements/registry.js';
import type { Setting, Settings } from '../../web/elements/shared/settings.js';

/** What elements have without a DOM: lit's part of them. */
type Values = Record<string, unknown>;
interface Lit extends Values {
  attributeChangedCallback(attribute: string, before: null, after: string | null): void;
}
interface Class {
  new (): Lit;
  readonly settings?: Settings;
  readonly observedAttributes: readonly string[];
  readonly elementProperties: ReadonlyMap<string, { readonly attribute?: string | boolean }>;
}

const ELEMENTS = [...Object.keys(figures), ...Object.keys(parts)].map((tag): [string, Class] => [
  tag,
  (classes as unknown as Record<string, Class>)[classOf(tag)]!,
]);

/** An element's attributes: each with its property. */
function attributesOf({ observedAttributes, elementProperties }: Class): [attribute: string, property: string][] {
  return observedAttributes.map((attribute) => {
    const is = (name: string, declared?: string | boolean): boolean =>
      (typeof declared === 'string' ? declared : name.toLowerCase()) === attribute;
    const [property] = [...elementProperties].find(([name, options]) => is(name, options.attribute))!;
    return [attribute, property];
  });
}

/** Texts that a setting reads, near misses, and nonsense. */
function texts(setting: Setting<unknown> | undefined): fc.Arbitrary<string> {
  const numbers = fc.oneof(fc.integer({ min: -40, max: 300 }), fc.double({ min: -4, max: 4, noNaN: true })).map(String);
  const lists = fc
    .array(fc.oneof(numbers, fc.constantFrom('2.7', '5.8')), { maxLength: 8 })
    .map((words) => words.join(' '));
  const words = fc.constantFrom(
    '',
    'yes',
    'no',
    'true',
    'false',
    'map',
    'lines',
    'toString',
    ...(setting?.words ?? []),
  );
  return fc.oneof(numbers, lists, words, fc.string());
}

describe.each(ELEMENTS)('<%s>', (_tag, Element) => {
  const attributes = attributesOf(Element);

  test('has a property for each attribute', () => {
    expect(attributes.length).toBeGreaterThan(0);
    for (const name of Object.keys(Element.settings ?? {}))
      expect(attributes.map(([, property]) => property)).toContain(name);
  });

  test.each(attributes)('reads a text set as %s like the attribute', (attribute, property) => {
    fc.assert(
      fc.property(texts(Element.settings?.[property]), (text) => {
        const [byAttribute, byProperty] = [new Element(), new Element()];
        byAttribute.attributeChangedCallback(attribute, null, text);
        byProperty[property] = text;
        expect(byProperty[property]).toEqual(byAttribute[property]);
      }),
    );
  });

  test('keeps values of a setting’s type, reads others as text, and takes null and undefined for a missing one', () => {
    for (const [name, setting] of Object.entries(Element.settings ?? {})) {
      const { initial } = setting;
      const set = (value: unknown): unknown => Object.assign(new Element(), { [name]: value })[name];
      expect(set(initial)).toBe(initial);
      for (const value of [2, true, [2, 3]].filter((each) => typeof each !== typeof initial))
        expect([name, value, set(value)]).toEqual([name, value, setting.read([value].flat().join(' ')) ?? initial]);
      for (const missing of [null, undefined]) expect([name, set(missing)]).toEqual([name, initial]);
    }
  });
});
