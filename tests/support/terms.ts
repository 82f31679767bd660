/** Terms of a glossary, and how to find them in a text. */

/** `use` is the term; `also` are its other forms that a text may have; `never` are wrong or inconsistent ones. */
export type Glossary = Record<string, { use: string; also: string[]; never: string[] }>;

/**
 * The places where `text` has `form`, as they stand there; case is ignored as the language folds it (Turkish I is ı).
 *
 * A form is a whole word; one that ends in `*`, or any one when looked for as a `stem`, may go on with an ending. English stems go
 * on with a plural's at most. Korean has its particles attached to words, so that there any occurrence counts.
 */
export function findTerm(
  text: string,
  form: string,
  language: string,
  as: 'form' | 'stem' = 'form',
): string[] {
  const open = form.endsWith('*');
  const literal = form
    .replace(/\*$/, '')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/ /g, '\\s+');
  const folded = literal.toLocaleLowerCase(language);
  const ending =
    language === 'ko'
      ? ''
      : open
        ? '\\p{L}*'
        : as === 'form'
          ? END
          : language === 'en'
            ? `(?:e?s)?${END}`
            : '\\p{L}*';
  const start = language === 'ko' ? '' : '(?<![\\p{L}\\p{N}])';
  const lower = text.toLocaleLowerCase(language);
  // Folding keeps the length in all five languages, so that a place in the one is a place in the other.
  return [...lower.matchAll(new RegExp(`${start}${folded}${ending}`, 'gu'))].map((match) =>
    text.slice(match.index, match.index + match[0].length),
  );
}

const END = '(?![\\p{L}\\p{N}])';
