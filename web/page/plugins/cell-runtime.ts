import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const ID = 'virtual:wasm-attention/cell-runtime';
const RUNTIME = fileURLToPath(new URL('../cells/runtime.ts', import.meta.url));
const EMBEDDED = fileURLToPath(new URL('../../lib/runtime/embedded.ts', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../lib/index.ts', import.meta.url));

/**
 * Vite plugin: serves the runtime of the code cells (cells/runtime.ts) as a string, bundled with the library. A worker made of
 * text imports nothing, so it works from any place: a server, the dev server, a file opened from disk. `embeddedWasm` is what it
 * is handed with that.
 */
export function cellRuntime(version: string): Plugin {
  return {
    name: 'wasm-attention-cell-runtime',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    async load(id) {
      if (id !== `\0${ID}`) return null;
      const { script, files } = await bundle(version);
      for (const file of files) this.addWatchFile(file);
      return `export default ${JSON.stringify(script)};
export { embeddedWasm } from ${JSON.stringify(EMBEDDED)};`;
    },
  };
}

async function bundle(version: string): Promise<{ script: string; files: string[] }> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [withoutWasm()],
    resolve: { alias: { 'wasm-attention': LIBRARY } },
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry: RUNTIME, formats: ['iife'], name: 'cell' },
      // A cell computes on one thread.
      rolldownOptions: { external: (id) => id === './threads.js' },
    },
  });
  const chunk = [built].flat().flatMap((result) => ('output' in result ? result.output : []))[0];
  if (chunk?.type !== 'chunk') throw new Error('cell-runtime: expected one script, got none');
  const files = chunk.moduleIds.filter((id) => isFile(id));
  return { script: chunk.code.trim(), files };
}

/** The page has the wasm already and hands it over. */
function withoutWasm(): Plugin {
  return {
    name: 'without-wasm',
    enforce: 'pre',
    load: (id) => (id === EMBEDDED ? 'export const embeddedWasm = () => new Uint8Array();' : null),
  };
}

function isFile(id: string): boolean {
  try {
    return readFileSync(id) !== null;
  } catch {
    return false;
  }
}
