import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LANGUAGES, type Language } from '../../web/elements/languages.js';
import { PAGE, readProse, textsOf, wordsOf, type Texts } from '../support/proseFiles.js';
import { findTerm, type Glossary } from '../support/terms.js';

function glossaryOf(language: Language): Glossary {
  return JSON.parse(readFileSync(join(PAGE, 'languages', language, 'glossary.json'), 'utf8')) as Glossary;
}

const english = glossaryOf('en');

test('the English prose has every term of the glossary', () => {
  const text = [...wordsOf(readProse('en')).values()].join('\n');
  const unused = Object.entries(english).filter(([, { use }]) => findTerm(text, use, 'en', 'stem').length === 0);
  expect(unused.map(([id]) => id)).toEqual([]);
});

describe.each(LANGUAGES)('the glossary in %s', (language) => {
  const glossary = glossaryOf(language);
  const forbidden = Object.entries(glossary).flatMap(([id, { never }]) => never.map((form) => ({ id, form })));

  test('has the terms of the English one, in the same order', () => {
    expect(Object.keys(glossary)).toEqual(Object.keys(english));
    for (const term of Object.values(glossary)) {
      expect(Object.keys(term)).toEqual(['use', 'also', 'never']);
      expect(term.use.trim()).not.toBe('');
    }
  });

  test('forbids no form that it allows', () => {
    const allowed = Object.values(glossary).flatMap(({ use, also }) => [use, ...also]);
    for (const { form } of forbidden)
      expect({ form, in: allowed.filter((text) => findTerm(text, form, language).length > 0) }).toEqual({
        form,
        in: [],
      });
  });

  test('is followed by the texts of figures and page', () => {
    const found = Object.values<Texts>(textsOf(language))
      .flatMap((texts) => Object.entries(texts))
      .flatMap(([key, text]) =>
        forbidden
          .filter(({ form }) => findTerm(text.replace(/\{\w+\}|\S+\.json\b/g, '0'), form, language).length > 0)
          .map(({ form }) => `${key}: ${form}`),
      );
    expect(found).toEqual([]);
  });
});

describe.each(LANGUAGES)('the prose in %s', (language) => {
  const glossary = glossaryOf(language);
  const sections = wordsOf(readProse(language));

  test('has no form that the glossary forbids, except foreign words in italics', () => {
    const text = [...sections.values()].join('\n').replace(/(?<!\*)\*(?!\*)[^*]+\*(?!\*)/g, ' ');
    const found = Object.values(glossary).flatMap(({ never }) =>
      never.flatMap((form) => findTerm(text, form, language)),
    );
    expect(found).toEqual([]);
  });

  test('has each term where the English prose has it', () => {
    const missing: string[] = [];
    for (const [section, original] of wordsOf(readProse('en'))) {
      const translated = sections.get(section) ?? '';
      const has = ({ use, also }: Glossary[string], text: string, of: Language): boolean =>
        [use, ...also].some((form) => findTerm(text, form, of, 'stem').length > 0);
      for (const [id, term] of Object.entries(glossary)) {
        if (has(english[id]!, original, 'en') && !has(term, translated, language)) missing.push(`${section}: ${id}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

test('a form is a whole word, or with a star or as a stem the start of one', () => {
  expect(findTerm('KAFALAR ve kafa', 'kafa*', 'tr')).toEqual(['KAFALAR', 'kafa']);
  expect(findTerm('KAFALAR', 'kafa', 'tr')).toEqual([]);
  expect(findTerm('IŞIK', 'ışık', 'tr')).toEqual(['IŞIK']);
  expect(findTerm('memperhatikan', 'perhatian', 'id')).toEqual([]);
  expect(findTerm('ranks, no ranking', 'rank', 'en', 'stem')).toEqual(['ranks']);
  expect(findTerm('옛셀프어텐션은', '셀프어텐션', 'ko')).toEqual(['셀프어텐션']);
});
