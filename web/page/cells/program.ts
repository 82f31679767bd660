import { parser } from '@lezer/javascript';

/** The one module that cells import. */
const MODULE = 'wasm-attention';

/** A cell as a script for a worker. */
export interface CellProgram {
  readonly script: string;
  /** Line of the script on which the reader's code begins, counted from 1. */
  readonly firstLine: number;
  /** Lines of the reader's code. */
  readonly lines: number;
}

/** The code imports something else, on this line. */
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
 * Makes one classic script of the runtime and a cell's code. The code becomes an asynchronous function, in which `await` works
 * as at a module's top level, and its imports become the function's parameters; every line stays the line it was. A classic
 * script, because browsers say of its syntax errors what and where they are, of a module's they do not.
 *
 * @throws ForeignImport where the code imports anything but the library.
 */
export function programOf(code: string, runtime: string): CellProgram {
  const { parameters, names, body } = takeImports(code);
  const head = `${runtime}\n(()=>{"use strict";runCell(async(${parameters.join()})=>{`;
  const firstLine = head.split('\n').length + 1;
  // The code's last line may be a comment.
  const script = `${head}\n${body}\n},${JSON.stringify(names)},${firstLine})})();`;
  return { script, firstLine, lines: code.split('\n').length };
}

interface Imports {
  readonly parameters: string[];
  readonly names: [name: string, line: number][];
  /** The code with spaces in place of its imports. */
  readonly body: string;
}

function takeImports(code: string): Imports {
  const imports: Imports = { parameters: [], names: [], body: code };
  let body = code;
  parser.parse(code).iterate({
    enter({ name, from, to, node }) {
      if (name === 'DynamicImport') {
        const literal = node.getChild('String');
        const specifier = literal === null ? '…' : code.slice(literal.from + 1, literal.to - 1);
        throw new ForeignImport(specifier, lineOf(code, from));
      }
      if (name !== 'ImportDeclaration') return true;
      const specifier = node.getChild('String');
      // Half an import: the engine says what is wrong with it.
      if (specifier === null) return false;
      const wanted = code.slice(specifier.from + 1, specifier.to - 1);
      if (wanted !== MODULE) throw new ForeignImport(wanted, lineOf(code, from));
      takeImport(code.slice(from, specifier.from), lineOf(code, from), imports);
      body = body.slice(0, from) + code.slice(from, to).replace(/[^\n]/g, ' ') + body.slice(to);
      return false;
    },
  });
  return { ...imports, body };
}

/** `import { load as start } from` as the parameter `{load: start}`. */
function takeImport(declaration: string, line: number, { parameters, names }: Imports): void {
  const clause = declaration
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ' ')
    .replace(/^import\b/, '')
    .replace(/\bfrom\s*$/, '')
    .trim();
  const braces = /\{([^}]*)\}/.exec(clause);
  for (const part of braces?.[1]?.split(',') ?? []) {
    const [name = '', local = name] = part.trim().split(/\s+as\s+/);
    if (name === '') continue;
    names.push([name.replace(/^['"]|['"]$/g, ''), line]);
    parameters.push(`{${name}:${local}}`);
  }
  const rest = clause.replace(/\{[^}]*\}/, '');
  for (const part of rest.split(',').map((text) => text.trim())) {
    const all = /^\*\s*as\s+(\S+)$/.exec(part)?.[1];
    if (all !== undefined) parameters.push(all);
    else if (part !== '') {
      names.push(['default', line]);
      parameters.push(`{default:${part}}`);
    }
  }
}

function lineOf(code: string, position: number): number {
  return code.slice(0, position).split('\n').length;
}
