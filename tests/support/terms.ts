/** The terms of a glossary, and how to find them in a text. */

/** `use` is the term; `also` are other accepted forms; `never` are wrong or inconsistent forms. */
export type Glossary = Record<string, { use: string; also: string[]; never: string[] }>;

/** A cache: each form is searched in hundreds of texts, and each text for hundreds of forms. */
const patterns = new Map<string, RegExp>();
const lowered = new Map<string, string>();

/**
 * All occurrences of `form` in `text`, as they are written there. Case is ignored by the language's rules (in Turkish,
 * I and ı match).
 *
 * A form matches whole words. If it ends in `*`, or is searched as a `stem`, the word may have an ending; an English
 * stem only a plural one. Korean attaches particles to words, so there every occurrence counts.
 */
export function findTerm(text: string, form: string, language: string, as: 'form' | 'stem' = 'form'): string[] {
  const pattern = kept(patterns, [form, language, as].join(), () => patternOf(form, language, as));
  const lower = kept(lowered, `${language} ${text}`, () => text.toLocaleLowerCase(language));
  // In all five languages lower case has the same length, so a match has the same place in both texts.
  return [...lower.matchAll(pattern)].map((match) => text.slice(match.index, match.index + match[0].length));
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function patternOf(form: string, language: string, as: 'form' | 'stem'): RegExp {
  const open = form.endsWith('*');
  const literal = form
    .replace(/\*$/, '')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/ /g, '\\s+');
  const folded = literal.toLocaleLowerCase(language);
  const ending =
    language === 'ko' ? '' : open ? '\\p{L}*' : as === 'form' ? END : language === 'en' ? `(?:e?s)?${END}` : '\\p{L}*';
  const start = language === 'ko' ? '' : '(?<![\\p{L}\\p{N}])';
  return new RegExp(`${start}${folded}${ending}`, 'gu');
}

const END = '(?![\\p{L}\\p{N}])';
