// Gives a wasm that was linked without Emscripten the names of the one that Emscripten linked, so that the same JavaScript
// (web/lib/embind.ts) instantiates both.
const IMPORTS = 2;
const EXPORTS = 7;
/** What is imported. */
const FUNCTION = 0;
const MEMORY = 2;
const HAS_MAXIMUM = 1;
/** The module that Emscripten's linker calls all imports part of. */
const MODULE = 'a';
/** What wasm-ld calls the exports whose roles have other names. @type {Record<string, string>} */
const LINKED = { table: '__indirect_function_table', constructors: '__wasm_call_ctors' };

/**
 * A copy of the module whose imports and exports have these names; exports that have none are left out.
 *
 * @param {Uint8Array} wasm
 * @param {{ imports: Record<string, string>, exports: Record<string, string> }} names As glue.mjs reads them: roles by the imports'
 *   names, names by the exports' roles.
 */
export function rename(wasm, { imports, exports }) {
  const importNames = new Map(Object.entries(imports).map(([name, role]) => [role, name]));
  const exportNames = new Map(Object.entries(exports).map(([role, name]) => [LINKED[role] ?? role, name]));

  const written = [wasm.subarray(0, 8)];
  const file = reader(wasm, 8);
  while (file.at() < wasm.length) {
    const id = file.byte();
    let content = file.take(file.number());
    if (id === IMPORTS) content = renameEach(content, importName, skipImport);
    if (id === EXPORTS) content = renameEach(content, exportName, skipExport);
    written.push(Uint8Array.of(id), number(content.length), content);
  }
  for (const missing of exportNames.keys())
    throw new Error(`rename: expected an export ${missing}, got none`);
  return Buffer.concat(written);

  /** @param {ReturnType<typeof reader>} entry */
  function importName(entry) {
    entry.take(entry.number());
    const role = entry.text().replace(/^_+/, '');
    const name = importNames.get(role);
    if (name === undefined) throw new Error(`rename: ${role} is imported here, and not by the other wasm`);
    return Buffer.concat([text(MODULE), text(name)]);
  }

  /** @param {ReturnType<typeof reader>} entry */
  function exportName(entry) {
    const linked = entry.text();
    const name = exportNames.get(linked);
    exportNames.delete(linked);
    return name === undefined ? undefined : text(name);
  }
}

/**
 * A section's entries, each with its name replaced, or left out where there is none.
 *
 * @param {Uint8Array} section
 * @param {(entry: ReturnType<typeof reader>) => Uint8Array | undefined} nameOf  Reads the name as well.
 * @param {(entry: ReturnType<typeof reader>) => void} skip  Reads what follows the name.
 */
function renameEach(section, nameOf, skip) {
  const entries = reader(section);
  const renamed = [];
  for (let left = entries.number(); left > 0; left--) {
    const name = nameOf(entries);
    const from = entries.at();
    skip(entries);
    if (name) renamed.push(Buffer.concat([name, section.subarray(from, entries.at())]));
  }
  return Buffer.concat([number(renamed.length), ...renamed]);
}

/** A function's type, or a memory's limits. @param {ReturnType<typeof reader>} entry */
function skipImport(entry) {
  const kind = entry.byte();
  const typeOrFlags = entry.number();
  if (kind === FUNCTION) return;
  if (kind !== MEMORY) throw new Error('rename: expected imports of functions and memories only');
  entry.number();
  if (typeOrFlags & HAS_MAXIMUM) entry.number();
}

/** Kind and index. @param {ReturnType<typeof reader>} entry */
function skipExport(entry) {
  entry.byte();
  entry.number();
}

/** @param {Uint8Array} bytes @param {number} [start] */
function reader(bytes, start = 0) {
  let at = start;
  const byte = () => {
    const value = bytes[at++];
    if (value === undefined) throw new Error('rename: the wasm ends too soon');
    return value;
  };
  /** Unsigned LEB128. */
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const part = byte();
      value += (part & 0x7f) * 2 ** shift;
      if (part < 0x80) return value;
    }
  };
  const take = (/** @type {number} */ length) => bytes.subarray(at, (at += length));
  return { at: () => at, byte, number, take, text: () => Buffer.from(take(number())).toString() };
}

/** Unsigned LEB128. @param {number} value */
function number(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Uint8Array.from([...bytes, value]);
}

/** @param {string} value */
function text(value) {
  return Buffer.concat([number(value.length), Buffer.from(value)]);
}
