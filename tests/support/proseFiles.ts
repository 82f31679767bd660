/** Takes the prose files apart with regular expressions, independently of the parser that builds the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PAGE = join(import.meta.dirname, '../../web/page');

export function readProse(language: string): string {
  return readFileSync(join(PAGE, 'prose', `${language}.md`), 'utf8');
}

/** The two programs of a code cell. */
export interface Cell {
  readonly javascript: string;
  readonly python: string;
}

export function cellsOf(markdown: string): Cell[] {
  const pairs = markdown.matchAll(
    /^( *)```js cell\n([\s\S]*?)^ *```\n\n *```python pytorch\n([\s\S]*?)^ *```$/gm,
  );
  return [...pairs].map(([, indent = '', javascript = '', python = '']) => {
    const outdent = (code: string): string => code.replace(new RegExp(`^${indent}`, 'gm'), '');
    return { javascript: outdent(javascript), python: outdent(python) };
  });
}

/** Code without its comments and the labels of its plots, which are translated. */
export function withoutComments(code: string): string {
  return code
    .replace(/(label(?:\(|=\[f))'[^'{]*/g, "$1'")
    .replace(/\s*(\/\/|# ).*$/gm, '')
    .trim();
}

/** All formulas as TeX, without words and spaces and with points for decimal commas; inline ones are sorted. */
export function formulasOf(markdown: string): { display: string[]; inline: string[] } {
  const text = markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');
  const normal = (tex: string): string =>
    tex
      .replace(/\\text\{[^}]*\}/g, '\\text{}')
      .replace(/(\d)(\{,\}|,)(?=\d)/g, '$1.')
      .replace(/\s+/g, '');
  const display = [...text.matchAll(/\$\$([\s\S]*?)\$\$/g)].map(([, tex = '']) => normal(tex));
  const inline = [...text.replace(/\$\$[\s\S]*?\$\$/g, '').matchAll(/\$([^$]+)\$/g)];
  return { display, inline: inline.map(([, tex = '']) => normal(tex)).sort() };
}

/** The words of each section of level 2, without code, formulas, tags, links and references. `''` is what precedes the first section. */
export function wordsOf(markdown: string): Map<string, string> {
  const text = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ *```[\s\S]*?^ *```$/gm, ' ')
    .replace(/^## [^\n]*\{#references\}\n[\s\S]*/m, '')
    .replace(/\$\$[\s\S]*?\$\$|\$[^$]+\$|`[^`\n]+`/g, ' ')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<[^>]+>/g, ' ');
  const sections = new Map<string, string>();
  for (const part of text.split(/^(?=## )/m)) {
    const anchor = /\{#([a-z0-9-]+)\}/.exec(part)?.[1] ?? '';
    sections.set(part.startsWith('## ') ? anchor : '', part.replace(/\{#[a-z0-9-]+\}/g, ' '));
  }
  return sections;
}
