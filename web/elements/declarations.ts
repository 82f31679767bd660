import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Parts of figures that pages can use by themselves, and their modules. */
export const PARTS = {
  'heat-map': 'shared/heat-map/heat-map.ts',
  'head-viewer': 'shared/head-viewer/head-viewer.ts',
};

/** The figures' tags: each has a folder, with a module of the same name in it. */
export function figureTags(elements: URL): string[] {
  return readdirSync(elements).filter((name) => existsSync(new URL(`${name}/${name}.ts`, elements)));
}

/** `heat-map` → `HeatMap`: the class of a tag. */
export function classOf(tag: string): string {
  return tag.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Vite plugin that writes the declarations of the packaged elements. Those that tsc would make from the sources refer
 * to lit's, which the package's users do not have, and all figures offer the same to a page.
 */
export function declarations(elements: URL): Plugin {
  return {
    name: 'wasm-attention-declarations',
    generateBundle() {
      const emit = (fileName: string, source: string): void => {
        this.emitFile({ type: 'asset', fileName, source });
      };
      const tags = figureTags(elements);
      const figures = tags.map((tag) => `export declare class ${classOf(tag)} extends Figure {}`);
      const source = [
        readFileSync(new URL('package-types.d.ts', elements), 'utf8'),
        ...figures,
        'declare global {\n  interface HTMLElementTagNameMap {',
        ...[...tags, ...Object.keys(PARTS)].map((tag) => `    '${tag}': ${classOf(tag)};`),
        "    'ramp-legend': HTMLElement;",
        '  }\n}\n',
      ].join('\n');
      emit('index.d.ts', source);
      emit('auto.d.ts', "export type * from './index.js';\n");
      emit('anywidget.d.ts', readFileSync(new URL('anywidget-types.d.ts', elements), 'utf8'));
      for (const tag of [...tags, ...Object.keys(PARTS)])
        emit(`${tag}.d.ts`, `export { ${classOf(tag)} } from './index.js';\n`);
    },
  };
}
