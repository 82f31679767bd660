import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { languageOf, localeOf } from '../../web/elements/languages.js';

test.each([
  ['en', 'en', 'en'],
  ['en_US', 'en-US', 'en'],
  ['tr_TR', 'tr-TR', 'tr'],
  ['PT-br', 'pt-BR', 'pt'],
  ['ko-Kore-KR', 'ko-Kore-KR', 'ko'],
  ['de', 'de', 'en'],
  ['1', 'en', 'en'],
  ['tr TR', 'en', 'en'],
  ['-', 'en', 'en'],
  ['x-klingon', 'en', 'en'],
])('lang="%s" has the number formats of %s and the texts of %s', (text, locale, language) => {
  expect([localeOf(text), languageOf(localeOf(text))]).toEqual([locale, language]);
});

test('with any text as the language of a page, numbers have a format', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', 'e', 'n', 'U', 'S', '1', '_', '-', 'x') })),
      (text) => {
        expect(() => new Intl.NumberFormat(localeOf(text)).format(1)).not.toThrow();
      },
    ),
  );
});
