/** Parses the prose files with regular expressions, independently of the parser that builds the page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StringKey } from '../../web/elements/shared/localised.js';
import type cells from '../../web/page/languages/en/cells.json';
import type { PageStrings } from '../../web/page/plugins/pageStrings.js';

export const PAGE = join(import.meta.dirname, '../../web/page');

/** The files with the text of a language's pages. */
export const FILES = ['prose', 'further'] as const;

/** One of these files, or both as one: then the title of the second is a heading. */
export function readProse(language: string, file?: (typeof FILES)[number]): string {
  const read = (name: string): string => readFileSync(join(PAGE, 'languages', language, `${name}.md`), 'utf8');
  if (file !== undefined) return read(file);
  return `${read('prose')}\n${read('further').replace(/^---\n[^]*?\n---\n/, '## Further {#further}\n')}`;
}

/** The tags of the figures in a file. */
export function figuresIn(file: (typeof FILES)[number]): string[] {
  return [...readProse('en', file).matchAll(/<([a-z]+(?:-[a-z]+)+)[^>]*><\/\1>/g)].map(([, tag]) => tag!);
}

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>;

/** The folders of texts that elements load with themselves, and not with the first figure. */
const LATER = readdirSync(join(PAGE, '../elements'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^(?!generated).+\/.+\/strings$|\/texts$/.test(path),
);

/** All texts of a language except the prose: those of the elements and of the page. */
export function textsOf(language: string): {
  figures: Readonly<Record<StringKey, string>>;
  page: PageStrings;
  cells: Readonly<Record<keyof typeof cells, string>>;
  models: Texts;
  proof: Texts;
} {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(PAGE, file), 'utf8'));
  const inFolder = (name: string): unknown => read(`languages/${language}/${name}.json`);
  return {
    figures: Object.assign(
      {},
      ...['generated/strings', ...LATER].map((folder) => read(`../elements/${folder}/${language}.json`)),
    ) as Record<StringKey, string>,
    page: inFolder('page') as PageStrings,
    cells: inFolder('cells') as typeof cells,
    models: inFolder('models') as Texts,
    proof: inFolder('proof') as Texts,
  };
}

/** A question to the reader, with its choices; none for a number. */
export interface Check {
  /** The figure in whose caption it is, if any. */
  readonly figure: string | undefined;
  readonly show: Readonly<Record<string, string>>;
  readonly number: number | undefined;
  readonly within: number;
  readonly answers: readonly string[];
  /** Which of the answers are ticked. */
  readonly right: readonly number[];
  /** Wrong numbers that the page explains. */
  readonly slips: readonly number[];
  /** What is wrong about each of the others. */
  readonly faults: readonly string[];
}

export function checksOf(markdown: string): Check[] {
  const checks = markdown.matchAll(/<reader-check([^>]*)>([\s\S]*?)<\/reader-check>/g);
  return [...checks].map(({ index, 1: given = '', 2: body = '' }) => {
    const before = markdown.slice(0, index);
    const open = before.lastIndexOf('<figcaption>') > before.lastIndexOf('</figcaption>');
    const attribute = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(given)?.[1];
    const number = attribute('number');
    const answers = [...body.matchAll(/^ *- \[([ x])\] (.+)$/gm)];
    return {
      figure: open ? [...before.matchAll(/<figure [^>]*id="([^"]+)"/g)].at(-1)?.[1] : undefined,
      show: Object.fromEntries(new URLSearchParams((attribute('show') ?? '').replaceAll('&amp;', '&'))),
      number: number === undefined ? undefined : Number(number),
      within: Number(attribute('within') ?? 0),
      answers: answers.map(([, , answer = '']) => answer),
      slips: [...body.matchAll(/^ *- ([\d.]+)$/gm)].map(([, slip]) => Number(slip)),
      faults: [...body.matchAll(/^ *- (?:\[ \] .+|[\d.]+)\n *- ([^[\n].+)$/gm)].map(([, fault = '']) => fault),
      right: answers.flatMap(([, tick], i) => (tick === 'x' ? [i] : [])),
    };
  });
}

/** The two programs of a code cell. */
export interface Cell {
  readonly javascript: string;
  readonly python: string;
}

export function cellsOf(markdown: string): Cell[] {
  const pairs = markdown.matchAll(/^( *)```js cell\n([\s\S]*?)^ *```\n\n *```python pytorch\n([\s\S]*?)^ *```$/gm);
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

/**
 * The words of each section of level 2, without code, formulas, tags, links and references. `''` is what precedes the
 * first section.
 */
export function wordsOf(markdown: string): Map<string, string> {
  const text = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ *```[\s\S]*?^ *```$/gm, ' ')
    .replace(/^## [^\n]*\{#references\}\n(?:(?!^## )[\s\S])*/gm, '')
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
