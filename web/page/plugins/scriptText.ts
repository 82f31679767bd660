import { dirname, resolve } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import { countPackages } from '../../licenses.js';
import { alone, library } from '../../vite.config.js';

const SCRIPT = '\0script:';

/** The script gets the wasm in a message, since the page has loaded it anyway. */
const withoutWasm: Plugin = {
  name: 'without-wasm',
  enforce: 'pre',
  load: (id) => (id.endsWith('/runtime/embedded.ts') ? 'export const embeddedWasm = () => new Uint8Array();' : null),
};

/**
 * Vite plugin: `import text from './script.ts?script'` is the text of a classic script bundled with its imports,
 * without the wasm.
 */
export function scriptText(): Plugin {
  return {
    name: 'script-text',
    enforce: 'pre',
    resolveId: (id, importer = '') =>
      id.endsWith('?script') ? SCRIPT + resolve(dirname(importer), id.slice(0, -7)) : null,
    async load(id) {
      if (!id.startsWith(SCRIPT)) return null;
      const { output } = (await build({
        configFile: false,
        publicDir: false,
        logLevel: 'error',
        define: library.define,
        resolve: { alias: [...library.resolve.alias, ...alone] },
        plugins: [withoutWasm, countPackages()],
        build: {
          write: false,
          target: 'es2022',
          modulePreload: false,
          rolldownOptions: { input: id.slice(SCRIPT.length), output: { format: 'iife', codeSplitting: false } },
        },
      })) as Rolldown.RolldownOutput;
      const [{ code, moduleIds }] = output;
      for (const file of moduleIds) if (!file.startsWith('\0')) this.addWatchFile(file);
      return `export default ${JSON.stringify(code.trim())};`;
    },
  };
}
