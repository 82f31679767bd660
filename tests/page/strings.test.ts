import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../web/page/plugins/pages.js';

/** The words of the figures, those of the page around the prose, and those of its code cells. */
const FOLDERS = ['web/elements/strings', 'web/page/strings', 'web/page/cells/strings', 'web/page/models/strings'].map(
  (folder) => join(import.meta.dirname, '../..', folder),
);

type Words = Record<string, string>;

function read(folder: string, language: string): Words {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Words;
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([whole]) => whole).sort();
}

describe.each(FOLDERS)('the words in %s', (folder) => {
  test('are there in every language and in no other', () => {
    expect(readdirSync(folder).sort()).toEqual(LANGUAGES.map((language) => `${language}.json`).sort());
  });

  test.each(LANGUAGES)('are complete in %s, in the same order, with the same placeholders', (language) => {
    const english = read(folder, 'en');
    const words = read(folder, language);
    expect(Object.keys(words)).toEqual(Object.keys(english));
    const used = (all: Words): [string, string[]][] =>
      Object.entries(all).map(([key, text]) => [key, placeholders(text)]);
    expect(used(words)).toEqual(used(english));
    expect(Object.entries(words).filter(([, text]) => text === '' || text.trim() !== text)).toEqual([]);
  });
});

test.each([
  ['pt', /auto-atenção|atenção própria|embutimento/i],
  ['ko', /자기 주의|주의 가중치/],
  ['tr', /pozitif kodlama|kendi dikkat/i],
  ['id', /perhatian diri|penyandian posisi/i],
])('in %s the terms are those of the glossary', (language, wrong) => {
  for (const folder of FOLDERS) expect(Object.values(read(folder, language)).join('\n')).not.toMatch(wrong);
});
