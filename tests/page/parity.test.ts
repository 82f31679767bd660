import { describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../web/elements/languages.js';
import { cellsOf, checksOf, formulasOf, readProse, withoutComments } from '../support/proseFiles.js';

/** What must be the same in every language: in this order, unless sorted here. */
function structureOf(markdown: string): Record<string, unknown> {
  const all = (pattern: RegExp): string[] => [...markdown.matchAll(pattern)].map(([, found = '']) => found);
  const { display, inline } = formulasOf(markdown);
  return {
    headings: all(/^(#{2,3} .*\{#[a-z0-9-]+\})$/gm).map((line) => line.replace(/ .*(?=\{)/, ' ')),
    figures: all(/(<figure [^>]*>\n *<[^/>]+>)/g).map((tags) => tags.replace(/\s+/g, ' ')),
    equations: all(/<div class="equation" id="([^"]+)">/g),
    // Sentences end differently in each language.
    display: display.map((formula) => formula.replace(/[.,]$/, '')),
    inline: [...new Set(inline)],
    notes: all(/(<aside role="note">)/g).length,
    answers: all(/(<details><summary>)/g).length,
    checks: checksOf(markdown).map(({ answers, faults, ...check }) => ({
      ...check,
      answers: answers.length,
      faults: faults.length,
    })),
    references: all(/<li id="(ref-[^"]+)">/g),
    citations: all(/\]\(#(ref-[^)]+)\)/g).sort(),
    tables: all(/^(\| ?:?-[-| :]*\|)$/gm).map((line) => line.split('|').length),
    cells: cellsOf(markdown).map(({ javascript, python }) => [javascript, python].map(withoutComments)),
  };
}

const english = structureOf(readProse('en'));

test('the English prose has everything that is compared', () => {
  for (const [name, value] of Object.entries(english))
    expect({ name, some: Array.isArray(value) ? value.length > 0 : value !== 0 }).toEqual({
      name,
      some: true,
    });
});

describe.each(LANGUAGES)('the prose in %s', (language) => {
  const structure = structureOf(readProse(language));

  test.each(Object.keys(english))('has the same %s as the English one', (name) => {
    expect(structure[name]).toEqual(english[name]);
  });
});
