import { parser } from '@lezer/javascript';

/** The only module that cells import. */
const MODULE = 'wasm-attention';

/** The code imports another module, on this line. */
export class ForeignImport extends Error {
  constructor(
    readonly specifier: string,
    readonly line: number,
  ) {
    super(`line ${line}: expected an import from '${MODULE}', got one from '${specifier}'`);
    this.name = 'ForeignImport';
  }
}

/**
 * Splits a cell's code where it names the library's module, for the module's URL, which the worker makes.
 *
 * @throws ForeignImport if the code imports anything else. An import that the parser overlooks fails in the worker.
 */
export function partsOf(code: string): string[] {
  const parts: string[] = [];
  let end = 0;
  parser.parse(code).iterate({
    enter({ name, from, node }) {
      const dynamic = name === 'DynamicImport';
      const exported = name === 'ExportDeclaration' && node.getChild('from') !== null;
      if (!dynamic && !exported && name !== 'ImportDeclaration') return;
      const specifier = node.getChild('String');
      // An incomplete import: the engine reports the error.
      if (specifier === null && !dynamic) return;
      const wanted = specifier === null ? '…' : code.slice(specifier.from + 1, specifier.to - 1);
      if (specifier === null || wanted !== MODULE) throw new ForeignImport(wanted, lineOf(code, from));
      parts.push(code.slice(end, specifier.from));
      end = specifier.to;
    },
  });
  return [...parts, code.slice(end)];
}

function lineOf(code: string, position: number): number {
  return code.slice(0, position).split('\n').length;
}
