import type { Root } from 'hast';
import { visit } from './visit.js';

/** Forbids a line break where it stands, and has no width. */
const WORD_JOINER = '\u2060';

/**
 * Keeps the Turkish öz-dikkat (self-attention) whole: its first part is too short to stand alone at the end of a line, and a
 * browser may break behind any hyphen.
 */
export function joinCompounds() {
  return (tree: Root): void => {
    visit(tree, (node) => {
      if (node.tagName === 'code') return;
      for (const child of node.children) {
        if (child.type === 'text') child.value = child.value.replace(/(?<=öz-)(?=dikkat)/gi, WORD_JOINER);
      }
    });
  };
}
