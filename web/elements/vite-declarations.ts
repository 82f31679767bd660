import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** A line of the registry: a tag and its module. */
const ENTRY = /'([a-z-]+)': \(\) => import\('\.\/([a-z-]+)\.js'\)/g;
/** A line of the index: a class and its module. */
const CLASS = /^export \{ (\w+)[^}]*\} from '\.\/([a-z-]+)\.js';$/gm;

/** The figures' tags as the registry has them. */
export function tagsOf(registry: string): string[] {
  return [...registry.matchAll(ENTRY)].map((match) => match[1] ?? '');
}

/**
 * Vite plugin: writes the declarations of the packaged elements. Those of the sources would ask whoever uses the package for lit's;
 * what a page can do with a figure is the same for all of them.
 */
export function declarations(folder: URL): Plugin {
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  return {
    name: 'wasm-attention-declarations',
    generateBundle() {
      const classes = new Map([...read('index.ts').matchAll(CLASS)].map(([, name, file]) => [file, name]));
      const tags = tagsOf(read('registry.ts'));
      const classOf = (tag: string): string => {
        const name = classes.get(tag);
        if (name === undefined)
          throw new Error(`declarations: expected index.ts to export the class of <${tag}>`);
        return name;
      };
      const own = tags.map((tag) => `export declare class ${classOf(tag)} extends Figure {}`);
      const map = [
        ...tags.map((tag) => [tag, classOf(tag)]),
        ['heat-map', 'HeatMap'],
        ['ramp-legend', 'HTMLElement'],
      ];
      const source = [
        read('package-types.d.ts'),
        ...own,
        'declare global {\n  interface HTMLElementTagNameMap {',
        ...map.map(([tag, name]) => `    '${tag}': ${name};`),
        '  }\n}\n',
      ].join('\n');
      this.emitFile({ type: 'asset', fileName: 'index.d.ts', source });
      this.emitFile({ type: 'asset', fileName: 'auto.d.ts', source: "export type * from './index.js';\n" });
      for (const tag of tags) {
        const name = classOf(tag);
        this.emitFile({
          type: 'asset',
          fileName: `${tag}.d.ts`,
          source: `export { ${name} } from './index.js';\n`,
        });
      }
      this.emitFile({
        type: 'asset',
        fileName: 'heat-map.d.ts',
        source: "export { HeatMap } from './index.js';\n",
      });
    },
  };
}
