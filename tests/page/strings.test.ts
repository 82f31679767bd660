import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../web/elements/languages.js';
import { PAGE, textsOf, type Texts } from '../support/proseFiles.js';

const ELEMENTS = join(PAGE, '../elements');
/** A folder of texts: the languages in it, and its files. */
interface Folder {
  readonly name: string;
  readonly languages: readonly string[];
  readonly file: (language: string) => string;
}

const FOLDERS: readonly Folder[] = [
  ...readdirSync(ELEMENTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/(strings|texts)$/.test(path) && !path.startsWith('generated'))
    .map((path) => ({
      name: path,
      languages: readdirSync(join(ELEMENTS, path)).map((file) => file.replace(/\.json$/, '')),
      file: (language: string) => join(ELEMENTS, path, `${language}.json`),
    })),
  ...['page', 'cells', 'models', 'proof'].map((name) => ({
    name,
    languages: readdirSync(join(PAGE, 'languages')),
    file: (language: string) => join(PAGE, 'languages', language, `${name}.json`),
  })),
];

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([whole]) => whole).sort();
}

describe.each(FOLDERS)('the texts of $name', ({ languages, file }) => {
  const read = (language: string): Texts => JSON.parse(readFileSync(file(language), 'utf8')) as Texts;

  test('exist in every language and in no other', () => {
    expect([...languages].sort()).toEqual([...LANGUAGES].sort());
  });

  test.each(LANGUAGES)('are complete in %s, in the same order, with the same placeholders', (language) => {
    const english = read('en');
    const words = read(language);
    expect(Object.keys(words)).toEqual(Object.keys(english));
    const used = (all: Texts): [string, string[]][] =>
      Object.entries(all).map(([key, text]) => [key, placeholders(text)]);
    expect(used(words)).toEqual(used(english));
    expect(Object.entries(words).filter(([, text]) => text === '' || text.trim() !== text)).toEqual([]);
  });
});

test('no key has different texts in two figures', () => {
  const keys = FOLDERS.filter(({ name }) => name.includes('/')).flatMap(({ file }) =>
    Object.keys(JSON.parse(readFileSync(file('en'), 'utf8')) as Texts),
  );
  expect(keys.sort()).toEqual(Object.keys(textsOf('en').figures).sort());
});
