import type { ElementContent, Root } from 'hast';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import { element, text, visit } from './hast.js';

const PARSERS = { 'language-js': javascript, 'language-python': python } as const;

/**
 * Highlights listings of JavaScript and Python at build time, with the classes that the code cells' editor uses. Each
 * line is an element, so that the rest of a wrapped line can be indented further.
 */
export function highlightListings(tree: Root): void {
  visit(tree, (node) => {
    const [language] = Array.isArray(node.properties.className) ? node.properties.className : [];
    const [listing] = node.children;
    if (node.tagName !== 'code' || listing?.type !== 'text') return;
    if (language === 'language-js' || language === 'language-python') {
      node.children = highlighted(listing.value, PARSERS[language]);
    }
  });
}

function highlighted(code: string, parser: typeof javascript): ElementContent[] {
  const lines: ElementContent[][] = [[]];
  const put = (value: string, classes: string): void => {
    const className = classes.split(' ').filter((name) => COLOURED.test(name));
    const part = text(value);
    lines.at(-1)?.push(className.length === 0 ? part : element('span', { className }, [part]));
  };
  const end = (): void => {
    put('\n', '');
    lines.push([]);
  };
  highlightCode(code, parser.parse(code), classHighlighter, put, end);
  return lines.filter((line) => line.length > 0).map(indented);
}

/** A line with its indentation in a separate element. */
function indented(line: readonly ElementContent[]): ElementContent {
  const [first, ...others] = line;
  const spaces = first?.type === 'text' ? /^ */.exec(first.value)![0] : '';
  const rest = first?.type === 'text' ? [text(first.value.slice(spaces.length)), ...others] : [...line];
  return element('span', { className: ['line'] }, [element('span', {}, [text(spaces)]), element('span', {}, rest)]);
}

/** Names make up most of a listing and keep the text's colour. */
const COLOURED = /^tok-(keyword|operatorKeyword|string2?|number|bool|null|atom|comment)$/;
