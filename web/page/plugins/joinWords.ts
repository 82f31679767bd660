import type { Element, Root } from 'hast';

/** Forbids a line break where it stands, and has no width. */
const WORD_JOINER = '\u2060';

/**
 * Keeps Korean words whole where a bracket or a quotation mark is part of them: 어텐션(attention)은, “토큰”을.
 * `word-break: keep-all` forbids breaks between letters only, so that a particle behind a bracket could start a line.
 *
 * Keeps the Turkish öz-dikkat (self-attention) whole, too: its first part is too short to stand alone at the end of a
 * line, and a browser may break behind any hyphen.
 */
export function joinWords(tree: Root): void {
  let last = '';
  const join = (parent: Root | Element): void => {
    for (const child of parent.children) {
      if (child.type === 'element') {
        // Code, and formulas, which are still TeX in code, stay as they are.
        if (child.tagName === 'code') last = '';
        else join(child);
      } else if (child.type === 'text' && child.value !== '') {
        const end = child.value.slice(-1);
        // What precedes is looked at together with the text, and then taken off again.
        child.value = joined(last + child.value).slice(last.length);
        last = end;
      }
    }
  };
  join(tree);
}

function joined(text: string): string {
  return text
    .replace(/(?<=\p{Script=Hangul})(?=\()/gu, WORD_JOINER)
    .replace(/(?<=[)”’])(?=\p{Script=Hangul})/gu, WORD_JOINER)
    .replace(/(?<=öz-)(?=dikkat)/gi, WORD_JOINER);
}
