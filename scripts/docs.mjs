// The documentation as a site, in build/docs: the README, the guides of web/docs and every public entry's declarations.
//   usage: node scripts/docs.mjs [FOLDER]      typedoc.json says what goes in; a warning is a failure
import { Application, Converter, ReflectionKind } from 'typedoc';

/** Sources by what users import them as. */
const ENTRIES = {
  'lib/index': 'wasm-attention',
  lib: 'wasm-attention',
  'lib/slim': 'wasm-attention/slim',
  'lib/safetensors': 'wasm-attention/safetensors',
  'lib/worker': 'wasm-attention/worker',
  elements: 'wasm-attention/elements',
};

process.chdir(new URL('..', import.meta.url).pathname);
const [folder] = process.argv.slice(2);
const app = await Application.bootstrapWithPlugins(folder === undefined ? {} : { out: folder });

// A module is called as its file is, and its file is nothing that a reader imports.
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
  if (!reflection.kindOf(ReflectionKind.Module)) return;
  const name = Object.entries(ENTRIES).find(([source]) => source === reflection.name)?.[1];
  if (name === undefined) throw new Error(`docs: ${reflection.name} has no name in scripts/docs.mjs`);
  reflection.name = name;
});

const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
