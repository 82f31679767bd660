import type { Element, ElementContent, Root } from 'hast';
import { spaceFunctions } from './functionSpace.js';
import { element, text, textOf, visit } from './hast.js';
import { spaceOperators } from './operatorSpace.js';

/**
 * Makes KaTeX's MathML render the same in every browser.
 *
 * MathML Core has neither `mathvariant` (except `normal`) nor `columnalign`, and our formulas need both: a bold x is a
 * vector, and equations are aligned at their equals signs. So letters become the Unicode characters for their
 * `mathvariant`, and table attributes become classes for the style sheet. Functions' names get TeX's thin spaces, which
 * MathML leaves out.
 */
export function portableMath(tree: Root): void {
  keepTogether(tree);
  visit(tree, (node) => {
    const variant = node.properties.mathvariant;
    if (typeof variant === 'string' && variant !== 'normal') {
      node.children = node.children.map((child) => inVariant(child, variant));
      delete node.properties.mathvariant;
    }
    if (node.tagName === 'mtable') alignByClass(node);
    node.children = spaceFunctions(node.children);
    spaceOperators(node);
    levelIndices(node);
    // The TeX source is for programs; assistive technology would read it as a second formula.
    if (node.tagName === 'semantics') {
      node.children = node.children.filter((child) => child.type !== 'element' || child.tagName !== 'annotation');
    }
  });
}

/**
 * Puts an index below a letter or name with a descender as low as other indices. MathML Core adds the depth of the
 * base, which TeX ignores for a single letter.
 */
function levelIndices(node: Element): void {
  const [base, ...scripts] = node.children;
  if (base === undefined || !/^msub(sup)?$/.test(node.tagName)) return;
  if (!/^\p{L}*[fgjpqyQβγζημξρφχψ]\p{L}*\u2061?$/u.test(textOf(base).normalize('NFKC'))) return;
  node.children = [element('mpadded', { depth: '0px' }, [base]), ...scripts];
}

/**
 * Moves what must stay on the formula's line into its element, which does not wrap: punctuation after it; a Korean
 * particle, which is a suffix; an opening bracket; and a word with a no-break space before it, because browsers break
 * lines at such a space if no text follows.
 */
function keepTogether(parent: Root | Element): void {
  for (const [index, node] of parent.children.entries()) {
    if (node.type !== 'element') continue;
    keepTogether(node);
    const { className } = node.properties;
    if (!Array.isArray(className) || !className.includes('katex')) continue;
    const previous = parent.children[index - 1];
    if (previous?.type === 'text') {
      const [before = ''] = /(?:[^\s\u00a0]+\u00a0)?[(“‘]*$/u.exec(previous.value) ?? [];
      node.children.unshift(text(before));
      previous.value = previous.value.slice(0, previous.value.length - before.length);
    }
    const next = parent.children[index + 1];
    if (next?.type === 'text') {
      const [after = ''] = /^[.,;:!?)’”\p{Script=Hangul}]*/u.exec(next.value) ?? [];
      node.children.push(text(after));
      next.value = next.value.slice(after.length);
    }
  }
}

/** The characters for each `mathvariant`: Unicode's mathematical alphabets, by plain letter. */
const ALPHABETS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  bold: alphabet('', [0x1d400, 0x1d433], [0x1d7ce, 0x1d7d7]),
  'double-struck': alphabet('ℂℍℕℙℚℝℤ', [0x1d538, 0x1d56b], [0x1d7d8, 0x1d7e1]),
  italic: alphabet('ℎ', [0x1d434, 0x1d467], [0x1d6fc, 0x1d714]),
};

/** An alphabet of these ranges, without the code points of letters that Unicode had earlier. */
function alphabet(earlier: string, ...ranges: (readonly [first: number, last: number])[]): Map<string, string> {
  const later = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)),
  );
  return new Map([...later, ...Array.from(earlier)].map((letter) => [letter.normalize('NFKC'), letter]));
}

/** The character for `letter` in a `mathvariant`. */
export function inAlphabet(letter: string, variant: string): string {
  const letters = ALPHABETS[variant];
  if (letters === undefined) throw new RangeError(`math: expected a known mathvariant, got ${variant}`);
  return letters.get(letter) ?? letter;
}

function inVariant(child: ElementContent, variant: string): ElementContent {
  if (child.type !== 'text') return child;
  return { ...child, value: child.value.replace(/./gu, (letter) => inAlphabet(letter, variant)) };
}

function alignByClass(table: Element): void {
  const align = table.properties.columnalign;
  table.properties = { className: align === 'right left' ? ['aligned'] : ['matrix'] };
}
