import type { Root } from 'hast';
import type { Table } from 'mdast';
import rehypeKatex from 'rehype-katex';
import rehypeRaw from 'rehype-raw';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import remarkParse from 'remark-parse';
import remarkRehype, { defaultHandlers, type Options } from 'remark-rehype';
import { unified } from 'unified';
import { joinCells } from './cells.js';
import { readerChecks } from './checks.js';
import { element, elementsOf, text, visit } from './hast.js';
import { highlightListings } from './highlight.js';
import { joinWords } from './joinWords.js';
import { portableMath } from './math.js';
import type { PageStrings } from './pageStrings.js';
import { printOutputs, type Printing } from './printed.js';

/** A heading of the table of contents. */
export interface Heading {
  readonly id: string;
  readonly depth: 2 | 3;
  readonly html: string;
}

/** The section in one language. */
export interface Prose {
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly contents: readonly Heading[];
}

/**
 * Turns a prose file (Markdown, TeX math, raw HTML for figures) into static HTML.
 *
 * The file begins with `title:` and `description:` lines between two `---` lines. Headings of level 2 and 3 end with
 * their anchor, `## Self-attention {#self-attention}`, so that links to them are the same in every language. Display
 * math is between `$$` lines. A fence ```js cell and the ```python pytorch fence after it become one code cell
 * (cells.ts). `<reader-check>` is a question to the reader (checks.ts), which needs `words`. With `printing`, the cells
 * are run, and their output is below their code (printed.ts). Throws an `Error` that names what is missing.
 */
export async function renderProse(markdown: string, words?: PageStrings, printing?: Printing): Promise<Prose> {
  const front = /^---\n([\s\S]*?)\n---\n/.exec(markdown);
  if (front === null) throw new Error('prose: expected front matter between --- lines, got none');
  const contents: Heading[] = [];
  const body = await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkMath)
    .use(() => joinCells)
    .use(remarkRehype, { allowDangerousHtml: true, handlers: HANDLERS })
    .use(rehypeRaw)
    .use(() => readerChecks(words))
    .use(() => (tree: Root) => numberFigures(tree, words))
    .use(() => titlesInEnglish)
    .use(() => joinWords)
    .use(rehypeKatex, { output: 'mathml' })
    .use(() => portableMath)
    .use(() => (tree: Root) => printing && printOutputs(tree, printing))
    .use(() => highlightListings)
    .use(() => (tree: Root) => anchorHeadings(tree, contents))
    .use(rehypeStringify)
    .process(markdown.slice(front[0].length));
  // rehype-katex reports a formula that it cannot parse, and continues with its source in red.
  if (body.messages.length > 0) throw new Error(`prose: ${body.messages.join('; ')}`);
  return {
    title: field(front[1] ?? '', 'title'),
    description: field(front[1] ?? '', 'description'),
    body: String(body),
    contents,
  };
}

/** Wraps tables, which scroll if they are wider than a phone. The first cell of a row is its header. */
const HANDLERS: Options['handlers'] = {
  table: (state, table: Table) => {
    const made = defaultHandlers.table(state, table);
    visit(made, (row) => {
      const [first] = row.tagName === 'tr' ? elementsOf(row) : [];
      if (first?.tagName !== 'td') return;
      first.tagName = 'th';
      first.properties.scope = 'row';
    });
    return element('div', { className: ['table'] }, [made]);
  },
};

function field(front: string, name: string): string {
  const value = new RegExp(`^${name}: (.+)$`, 'm').exec(front)?.[1];
  if (value === undefined) throw new Error(`prose: expected a line "${name}: …" in the front matter, got none`);
  return value.trim();
}

/** Moves `{#anchor}` from the end of each heading to its id, and lists the headings. */
function anchorHeadings(tree: Root, contents: Heading[]): void {
  visit(tree, (node) => {
    if (node.tagName !== 'h2' && node.tagName !== 'h3') return;
    const last = node.children.at(-1);
    const anchor = last?.type === 'text' ? /\s*\{#([a-z0-9-]+)\}$/.exec(last.value) : null;
    if (anchor === null || last?.type !== 'text') {
      throw new Error(`prose: expected {#anchor} at the end of a heading, got ${JSON.stringify(node.children)}`);
    }
    last.value = last.value.slice(0, anchor.index);
    node.properties.id = anchor[1];
    const html = unified().use(rehypeStringify).stringify({ type: 'root', children: node.children });
    contents.push({ id: anchor[1] ?? '', depth: node.tagName === 'h2' ? 2 : 3, html });
  });
}

/** The titles and places of references are English in every language. */
function titlesInEnglish(tree: Root): void {
  visit(tree, (list) => {
    if (!String(list.properties.className).includes('references')) return;
    visit(list, ({ tagName, properties }) => {
      if (tagName === 'a' || tagName === 'cite') properties.lang = 'en';
    });
  });
}

/** Numbers the figures in order, before the question in their caption. Number and question name the figure. */
function numberFigures(tree: Root, words: PageStrings | undefined): void {
  if (words === undefined) return;
  let count = 0;
  visit(tree, (figure) => {
    if (figure.tagName !== 'figure') return;
    const [caption] = elementsOf(figure).filter(({ tagName }) => tagName === 'figcaption');
    const [first] = caption ? elementsOf(caption) : [];
    const [question] = first ? elementsOf(first) : [];
    if (first === undefined || question?.tagName !== 'strong')
      throw new Error(
        `prose: expected a question in bold at the start of each caption, got none at ${figure.properties.id}`,
      );
    const number = words.figure.replace('{number}', String(++count));
    const ids = ['number', 'question'].map((part) => `${figure.properties.id}-${part}`);
    figure.properties.ariaLabelledBy = ids;
    question.properties.id = ids[1];
    first.children.unshift(element('span', { className: ['number'], id: ids[0] }, [text(number)]), text(' '));
  });
}
