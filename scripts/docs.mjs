// Builds a site in build/docs from the README, the guides of web/docs and the declarations of every public entry.
//   usage: node scripts/docs.mjs [FOLDER]      typedoc.json lists the contents; warnings are failures
import { Application, Converter, ReflectionKind } from 'typedoc';

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

const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
