import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Plugin, ViteDevServer } from 'vite';
import { modelsPage, type ModelStrings } from '../models/template.js';
import { proofPage } from '../proof/template.js';
import type { ProofStrings } from '../proof/words.js';
import { filled, Numbers } from '../../elements/drawing.js';
import { LANGUAGES, type Language } from '../../elements/languages.js';
import type { SpokenWords } from '../cells/words.js';
import { cellFrame } from './policy.js';
import type { PageStrings } from './pageStrings.js';
import type { KeepPicture } from './printed.js';
import { renderProse } from './prose.js';
import { writeGenerated } from '../../../scripts/figures.mjs';
import { languagePage, startPage, type MenuEntry, type PageContext } from './template.js';

/** The file with the document of a cell's frame (../cells/sandbox.ts). */
export const CELL_FRAME = 'cell-frame.html';

/** Rollup's inputs: the page at `/`, and four pages per language. The files are virtual. */
export function pageInputs(root: string): string[] {
  const below = ['', '/further', '/models', '/proof'];
  const folders = LANGUAGES.flatMap((language) => below.map((folder) => language + folder));
  return ['', ...folders].map((folder) => resolve(root, folder, 'index.html'));
}

/** Vite plugin: generates the pages from the prose, in the build and in the dev server. */
export function pages(root: string): Plugin {
  const inputs = new Set(pageInputs(root));
  return {
    name: 'wasm-attention-pages',
    enforce: 'pre',
    resolveId: (id) => {
      const file = resolve(root, id);
      return inputs.has(file) ? file : null;
    },
    load(id) {
      if (!inputs.has(id)) return null;
      return pageHtml(root, id, (svg) => {
        const folders = relative(root, dirname(id)).split(sep);
        // The name begins with the language, as the chunks' names do: scripts/offline.mjs reads it.
        const hash = createHash('sha256').update(svg).digest('base64url').slice(0, 8);
        const fileName = `assets/${folders[0]}-${hash}.svg`;
        this.emitFile({ type: 'asset', fileName, source: svg });
        return '../'.repeat(folders.length) + fileName;
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: CELL_FRAME, source: cellFrame('data:') });
    },
    configureServer: (server) => () => {
      serve(server, root);
    },
  };
}

function serve(server: ViteDevServer, root: string): void {
  server.watcher.on('change', (file) => {
    const folder = relative(root, dirname(file));
    if (/^\.\.\/elements\/.*\/strings$/.test(folder)) writeGenerated();
    if (folder.startsWith('languages/')) server.ws.send({ type: 'full-reload' });
  });
  server.middlewares.use((request, response, next) => {
    const path = new URL(request.originalUrl ?? '/', 'http://localhost').pathname;
    const file = resolve(root, `.${path}`, path.endsWith('/') ? 'index.html' : '');
    if (!pageInputs(root).includes(file)) {
      next();
      return;
    }
    pageHtml(root, file)
      // The dev server inserts styles and its own script, which the built page's policy forbids.
      .then((html) => server.transformIndexHtml(path, html.replace(/<meta http-equiv="Content-Security-Policy".*/, '')))
      .then((html) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html))
      .catch(next);
  });
}

/** The HTML of an input, before Vite bundles its script and style sheet. */
export async function pageHtml(root: string, file: string, keepPicture?: KeepPicture): Promise<string> {
  const [folder = '', below] = relative(root, dirname(file)).split(sep);
  const language = LANGUAGES.find((each) => each === folder);
  if (language === undefined) return startPage(menuOf(root));
  const [menu, words] = [menuOf(root), pageStrings(root, language)];
  if (below === 'models') return modelsPage(language, textsOf(root, language, below) as ModelStrings, menu, words);
  if (below === 'proof') return proofPage(language, textsOf(root, language, below) as ProofStrings, menu, words);
  return pageIn(root, language, { isFurther: below === 'further', keepPicture });
}

/** The HTML of the section in one language, or of the page that goes further. */
export async function pageIn(
  root: string,
  language: Language,
  options: { isFurther?: boolean; context?: PageContext; keepPicture?: KeepPicture | undefined } = {},
): Promise<string> {
  const { isFurther = false, context, keepPicture } = options;
  const strings = pageStrings(root, language);
  const [section, further] = ['prose.md', 'further.md'].map((file) =>
    readFileSync(resolve(root, 'languages', language, file), 'utf8'),
  ) as [string, string];
  const printing = { words: cellWords(root, language), keepPicture };
  const prose = await renderProse(isFurther ? further : section, strings, printing);
  const here = new Set(idsOf(section));
  const moved = isFurther ? undefined : idsOf(further).filter((id) => !here.has(id));
  return languagePage({ language, prose, strings, menu: menuOf(root), moved, context });
}

/** The targets of links in a prose file. */
function idsOf(markdown: string): string[] {
  return [...markdown.matchAll(/\bid="([^"]+)"|\{#([a-z0-9-]+)\}$/gm)].map(([, id, anchor]) => (id ?? anchor)!);
}

/** The texts for the output of a page's cells. */
function cellWords(root: string, language: Language): SpokenWords {
  const words = textsOf(root, language, 'cells') as Record<string, string>;
  const numbers = new Numbers(language);
  return {
    text: (key, values) => filled(words[key] ?? '', values ?? {}),
    number: (value, digits) => numbers.number(value, digits),
  };
}

function menuOf(root: string): MenuEntry[] {
  return LANGUAGES.map((language) => ({ language, name: pageStrings(root, language).languageName }));
}

function pageStrings(root: string, language: Language): PageStrings {
  return textsOf(root, language, 'page') as PageStrings;
}

/** The texts of the page, of its code cells or of another page. */
function textsOf(root: string, language: Language, name: 'page' | 'cells' | 'models' | 'proof'): unknown {
  return JSON.parse(readFileSync(resolve(root, 'languages', language, `${name}.json`), 'utf8'));
}
