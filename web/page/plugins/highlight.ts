import type { Element, ElementContent, Root } from 'hast';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import { visit } from './visit.js';

const PARSERS = { 'language-js': javascript, 'language-python': python } as const;

/** Colours listings of JavaScript and Python at build time, with the classes that the editor of the code cells uses too. */
export function highlightListings(tree: Root): void {
  visit(tree, (node) => {
    const [language] = Array.isArray(node.properties.className) ? node.properties.className : [];
    const [text] = node.children;
    if (node.tagName !== 'code' || text?.type !== 'text') return;
    if (language === 'language-js' || language === 'language-python') {
      node.children = highlighted(text.value, PARSERS[language]);
    }
  });
}

function highlighted(code: string, parser: typeof javascript): ElementContent[] {
  const children: ElementContent[] = [];
  const put = (value: string, classes: string): void => {
    const text = { type: 'text', value } as const;
    const colour = classes.split(' ').filter((name) => COLOURED.test(name));
    children.push(colour.length === 0 ? text : span(colour, text));
  };
  highlightCode(code, parser.parse(code), classHighlighter, put, () => put('\n', ''));
  return children;
}

/** Names are most of a listing and keep the colour of the text. */
const COLOURED = /^tok-(keyword|operatorKeyword|string2?|number|bool|null|atom|comment)$/;

function span(className: string[], text: ElementContent): Element {
  return { type: 'element', tagName: 'span', properties: { className }, children: [text] };
}
