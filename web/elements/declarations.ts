import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { classOf, figures, PARTS } from '../../scripts/figures.mjs';

/**
 * Vite plugin that writes the declarations of the packaged elements. tsc's would refer to lit's, which users of the
 * package do not have, and all figures have the same interface.
 */
export function declarations(elements: URL): Plugin {
  return {
    name: 'wasm-attention-declarations',
    generateBundle() {
      const emit = (fileName: string, source: string): void => {
        this.emitFile({ type: 'asset', fileName: `elements/${fileName}`, source });
      };
      const tags = Object.keys(figures());
      const all = [...tags, ...Object.keys(PARTS)];
      const source = [
        readFileSync(new URL('package-types.d.ts', elements), 'utf8'),
        ...tags.map((tag) => `export declare class ${classOf(tag)} extends Figure {}`),
        'declare global {\n  interface HTMLElementTagNameMap {',
        ...all.map((tag) => `    '${tag}': ${classOf(tag)};`),
        '  }\n}\n',
      ].join('\n');
      emit('index.d.ts', source);
      emit('auto.d.ts', "export type * from './index.js';\n");
      emit('anywidget.d.ts', readFileSync(new URL('anywidget-types.d.ts', elements), 'utf8'));
      for (const tag of all) emit(`${tag}.d.ts`, `export { ${classOf(tag)} } from './index.js';\n`);
    },
  };
}
