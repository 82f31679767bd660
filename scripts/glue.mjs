// Makes build/glue/core.js and build/glue/embedded.js of Emscripten's output: the factory without the code that finds and
// fetches the wasm (web/lib/load.ts does that), and the wasm as a base64 string.
//   usage: glue.mjs FOLDER_OF_EMSCRIPTENS_OUTPUT FOLDER_TO_WRITE
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';

/** Never reached, because the library always passes `instantiateWasm`. */
const LOADING = [
  'getBinary',
  'getBinaryPromise',
  'getBinarySync',
  'getWasmBinary',
  'instantiateArrayBuffer',
  'instantiateAsync',
];
/** Embind's conversions for types that the bindings do not use: numbers and booleans are all that crosses. */
const CONVERSIONS = [
  '__embind_register_memory_view',
  '__embind_register_std_string',
  '__embind_register_std_wstring',
];
const NO_LOADING = '{return Promise.reject(new Error("instantiateWasm is missing"))}';

/**
 * @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node
 * @typedef {{ start: number, end: number, text: string }} Edit
 */

/**
 * Emscripten's glue without its own loading.
 *
 * @param {string} source
 */
export function strip(source) {
  /** @type {Edit[]} */
  const edits = [];
  /** @param {Node} node @param {string} text */
  const replace = (node, text) => edits.push({ start: node.start, end: node.end, text });
  /** @param {Node} node */
  const textOf = (node) => source.slice(node.start, node.end);

  /** @param {unknown} node */
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isNode(node)) return;
    const edited = edit(node);
    if (!edited) Object.values(node).forEach(visit);
  };
  /** Replaces a node whole and says so, or leaves its children to be visited. @param {Node} node */
  const edit = (node) => {
    const body = namedFunctionBody(node);
    if (body && LOADING.includes(body.name)) return replace(body.node, NO_LOADING);
    if (body && CONVERSIONS.includes(body.name)) return replace(body.node, '{}');
    // The environment's own ways to read a file.
    if (
      node.type === 'IfStatement' &&
      /ENVIRONMENT_IS_/.test(textOf(node.test)) &&
      readsFiles(textOf(node))
    ) {
      return replace(node, ';');
    }
    // new URL("….wasm", import.meta.url).href, which bundlers would take for one more asset.
    if (node.type === 'NewExpression' && /^new URL\([^)]*import\.meta\.url\)$/.test(textOf(node))) {
      return replace(node, '""');
    }
    if (node.type === 'MemberExpression' && textOf(node) === 'import.meta.url') return replace(node, '""');
    return undefined;
  };
  visit(parseAst(source));

  let result = source;
  for (const { start, end, text } of edits.sort((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + text + result.slice(end);
  }
  const leftover = /import\.meta|new Function|\beval\(/.exec(result);
  if (leftover) throw new Error(`the glue still contains ${leftover[0]}`);
  return result;
}

/** @param {unknown} value @returns {value is Node} */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** @param {string} code */
function readsFiles(code) {
  return /XMLHttpRequest|\bfetch\(/.test(code);
}

/** The body of `function name() {…}`, `name = function () {…}` or `name = () => {…}`. @param {Node} node */
function namedFunctionBody(node) {
  if (node.type === 'FunctionDeclaration') return { name: node.id?.name, node: node.body };
  if (node.type !== 'VariableDeclarator' || !/Function/.test(node.init?.type ?? '')) return undefined;
  return node.init.body.type === 'BlockStatement' ? { name: node.id.name, node: node.init.body } : undefined;
}

/** Writes beside the file and renames, so that nobody reads half a file. @param {string} file @param {string} text */
function write(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

if (process.argv.length === 4) {
  const [from, to] = /** @type {[string, string]} */ (process.argv.slice(2));
  mkdirSync(to, { recursive: true });
  const wasm = readFileSync(join(from, 'wasm-attention.wasm')).toString('base64');
  write(join(to, 'embedded.js'), `export default '${wasm}';\n`);
  write(join(to, 'core.js'), strip(readFileSync(join(from, 'wasm-attention.mjs'), 'utf8')));
}
