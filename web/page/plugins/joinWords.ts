import type { Element, Root } from 'hast';

/** Word joiner: forbids a line break and has no width. */
const WORD_JOINER = '\u2060';

/**
 * Keeps Korean words whole that contain a bracket or a quotation mark: 어텐션(attention)은, “토큰”을. `word-break: keep-all`
 * forbids breaks between letters only, so a particle after a bracket could start a line.
 *
 * Also keeps the Turkish öz-dikkat (self-attention) whole: its first part is too short to end a line, and browsers may
 * break after any hyphen.
 */
export function joinWords(tree: Root): void {
  let last = '';
  const join = (parent: Root | Element): void => {
    for (const child of parent.children) {
      if (child.type === 'element') {
        // Skips code, and formulas, which are still TeX in code elements.
        if (child.tagName === 'code') last = '';
        else join(child);
      } else if (child.type === 'text' && child.value !== '') {
        const end = child.value.slice(-1);
        // The preceding character is matched with the text, and then removed again.
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
