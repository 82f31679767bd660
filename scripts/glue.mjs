// Makes build/glue/{core,threads}.js and build/glue/embedded{,-threads}.js of Emscripten's output: the short names that its
// linker has given to the wasm's imports and exports (web/lib/embind.ts is what is behind them), and the wasm as a base64
// string; of the wasm for one thread, and of that for several. Where those for relaxed SIMD were built, they get the same names.
//   usage: glue.mjs FOLDER_OF_EMSCRIPTENS_OUTPUT FOLDER_TO_WRITE [FOLDER_OF_THOSE_FOR_RELAXED_SIMD]
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { rename } from './rename.mjs';

/** What web/lib/embind.ts does. */
const SERVED = new Set([
  'bring_in',
  'embind_register_function',
  'embind_register_integer',
  'emscripten_get_now',
  'emscripten_memcpy_big',
  'emscripten_resize_heap',
  'memory',
  'take_out',
]);
/** That, and what needs nothing done: the types of what the bindings never pass, and booleans, which arrive as 0 and 1. */
const ROLES = new Set([
  'embind_register_bigint',
  'embind_register_bool',
  'embind_register_emval',
  'embind_register_float',
  'embind_register_function',
  'embind_register_integer',
  'embind_register_memory_view',
  'embind_register_std_string',
  'embind_register_std_wstring',
  'embind_register_void',
  'emscripten_memcpy_big',
  'emscripten_resize_heap',
]);
/** And what its libraries for threads import and never call here: threads are not pthreads (cpp/kernels/pool.h). */
const THREAD_ROLES = new Set([
  ...ROLES,
  'bring_in',
  'emscripten_get_now',
  'emscripten_init_main_thread_js',
  'emscripten_notify_thread_queue',
  'emscripten_receive_on_main_thread_js',
  'emscripten_set_canvas_element_size',
  'emscripten_thread_cleanup',
  'emscripten_unwind_to_js_event_loop',
  'emscripten_webgl_create_context',
  'exit',
  'pthread_create_js',
  'take_out',
]);
/** How Emscripten's JavaScript reaches an export: `Module["asm"]["n"]`, in later versions `wasmExports["n"]`. */
const EXPORT = String.raw`(?:Module\["asm"\]|wasmExports)\["(\w+)"\]`;
const EXPORTS = {
  table: `wasmTable=${EXPORT}`,
  constructors: `(?:addOnInit\\(|function initRuntime\\(\\)\\{[^}]*)${EXPORT}`,
  malloc: `\\b_malloc=[^;]*?${EXPORT}`,
  free: `\\b_free=[^;]*?${EXPORT}`,
};

const CORE_EXPORTS = { memory: `wasmMemory=${EXPORT}`, ...EXPORTS };
const THREAD_EXPORTS = {
  ...EXPORTS,
  stackRestore: `\\bstackRestore=[^;]*?${EXPORT}`,
  serveThread: `\\b_serveThread=[^;]*?${EXPORT}`,
  reportDeath: `\\b_reportDeath=[^;]*?${EXPORT}`,
  setWorthThreads: `\\b_setWorthThreads=[^;]*?${EXPORT}`,
};

/**
 * The roles of the wasm's imports and the names of its exports.
 *
 * @param {string} source Emscripten's JavaScript
 * @param {boolean} [threads]
 */
export function readNames(source, threads = false) {
  const table = only(source, /(?:asmLibraryArg|wasmImports)\s*=\s*\{([^}]*)\}/, 'the table of imports');
  /** @type {Record<string, string>} */
  const imports = {};
  for (let [, name = '', role = ''] of table.matchAll(/"?(\w+)"?\s*:\s*_*(\w+)/g)) {
    if (role === 'wasmMemory') role = 'memory';
    else if (!(threads ? THREAD_ROLES : ROLES).has(role))
      throw new Error(`glue: web/lib/embind.ts has no ${role}, which this Emscripten imports`);
    imports[name] = role;
  }
  /** @type {Record<string, string>} */
  const exports = {};
  for (const [role, pattern] of Object.entries(threads ? THREAD_EXPORTS : CORE_EXPORTS)) {
    exports[role] = only(source, new RegExp(pattern), `the export ${role}`);
  }
  return { imports, exports };
}

/**
 * The imports that do something, their roles without the prefixes that say where they come from.
 *
 * @param {Record<string, string>} imports
 */
function served(imports) {
  const kept = Object.entries(imports).filter(([, role]) => SERVED.has(role));
  return Object.fromEntries(
    kept.map(([name, role]) => [name, role.replace(/^(embind_register|emscripten)_/, '')]),
  );
}

/** What a pattern's group finds. @param {string} source @param {RegExp} pattern @param {string} what */
function only(source, pattern, what) {
  const found = pattern.exec(source)?.[1];
  if (found === undefined)
    throw new Error(`glue: ${what} is not where this script knows it in Emscripten's JavaScript`);
  return found;
}

/** Writes beside the file and renames, so that nobody reads half a file. @param {string} file @param {string | Uint8Array} content */
function write(file, content) {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

if (process.argv.length >= 4) {
  const [from, to, relaxed] = /** @type {[string, string, string?]} */ (process.argv.slice(2));
  mkdirSync(to, { recursive: true });
  for (const [variant, output] of /** @type {const} */ ([
    ['', 'core'],
    ['-threads', 'threads'],
  ])) {
    const read = (/** @type {string} */ suffix) =>
      readFileSync(join(from, `wasm-attention${variant}.${suffix}`));
    write(join(to, `embedded${variant}.js`), `export default '${read('wasm').toString('base64')}';\n`);
    const names = readNames(read('mjs').toString(), output === 'threads');
    write(
      join(to, `${output}.js`),
      `export const imports = ${JSON.stringify(served(names.imports))};\nexport const exports = ${JSON.stringify(names.exports)};\n`,
    );
    const file = `wasm-attention${variant}-relaxed.wasm`;
    if (relaxed) write(join(to, file), rename(readFileSync(join(relaxed, file)), names));
    else rmSync(join(to, file), { force: true });
  }
}
