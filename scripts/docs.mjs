// Builds a site in build/docs from the README, the guides of web/docs and the declarations of every public entry.
//   usage: node scripts/docs.mjs [FOLDER]      typedoc.json lists the contents; warnings are failures
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Application, Converter, JSX, ReflectionKind } from 'typedoc';

/** The names under which users import the sources. */
const ENTRIES = {
  'lib/index': 'wasm-attention',
  lib: 'wasm-attention',
  'lib/slim': 'wasm-attention/slim',
  'lib/safetensors': 'wasm-attention/safetensors',
  'lib/models': 'wasm-attention/models',
  'lib/worker': 'wasm-attention/worker',
  elements: 'wasm-attention/elements',
};

/** The guides whose programs run on their page, what these import, and the folders that they read. */
const RUNNING = ['experiments'];
const IMPORTS = {
  'wasm-attention/models': 'models.js',
  '@huggingface/tokenizers': 'tokenizers.min.mjs',
};
const FOLDERS = ['tests/fixtures/stories260K'];

process.chdir(new URL('..', import.meta.url).pathname);
const [folder] = process.argv.slice(2);
const app = await Application.bootstrapWithPlugins(folder === undefined ? {} : { out: folder });

// TypeDoc names a module after its source file, which users do not import.
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
  if (!reflection.kindOf(ReflectionKind.Module)) return;
  const name = Object.entries(ENTRIES).find(([source]) => source === reflection.name)?.[1];
  if (name === undefined) throw new Error(`docs: ENTRIES in scripts/docs.mjs has no name for ${reflection.name}`);
  reflection.name = name;
});

/** @param {import('typedoc').Reflection} page */
const isRunning = (page) => page.isDocument() && RUNNING.includes(page.name);
const raw = (/** @type {string} */ html) => JSX.createElement(JSX.Raw, { html });
app.renderer.hooks.on('head.end', ({ page, relativeURL }) => {
  if (!isRunning(page.model)) return raw('');
  const imports = Object.entries(IMPORTS).map(([name, file]) => [name, relativeURL(`run/${file}`)]);
  const map = JSON.stringify({ imports: Object.fromEntries(imports) });
  return raw(`<script type="importmap">${map}</script><link rel="stylesheet" href="${relativeURL('run/run.css')}" />`);
});
app.renderer.hooks.on('body.end', ({ page, relativeURL }) =>
  raw(isRunning(page.model) ? `<script type="module" src="${relativeURL('run/run.js')}"></script>` : ''),
);

const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) await app.generateOutputs(project);
const site = app.options.getValue('out');
const run = join(site, 'run');
mkdirSync(run, { recursive: true });
// Figures are not imported.
cpSync('dist', run, { recursive: true, filter: (path) => !/dist\/elements|\.(d\.ts|map)$/.test(path) });
cpSync('scripts/docs', run, { recursive: true });
cpSync('node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs', join(run, 'tokenizers.min.mjs'));
// Where a page's relative address leads.
for (const path of FOLDERS) cpSync(path, join(site, 'documents', path), { recursive: true });
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
