// Writes the TypeScript view of the C++ library: signatures of functions, offsets of structs' fields, values of enums.
// They come from a small wasm: cpp/bindings/bindings.cpp compiled into a description of itself.
//   usage: describe.mjs DESCRIPTION_WASM FOLDER_TO_WRITE
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [wasm, folder] = process.argv.slice(2);
if (!wasm || !folder) throw new Error('usage: describe.mjs DESCRIPTION_WASM FOLDER_TO_WRITE');

/** @typedef {{ name: string, bytes: number, names: string, fields: { offset: number, type: string }[] }} Struct */
/** @typedef {{ name: string, count: number, names: string }} Enum */
/** @typedef {{ name: string, parameters: string, types: string[], result: string, streams: number, scratch: number }} Op */

const { instance } = await WebAssembly.instantiate(readFileSync(wasm));
const told = /** @type {{ memory: WebAssembly.Memory, functions(): number, structs(): number, enums(): number }} */ (
  /** @type {unknown} */ (instance.exports)
);
/** @param {number} address */
const parse = (address) => {
  const bytes = new Uint8Array(told.memory.buffer, address);
  return JSON.parse(`[${new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))}]`);
};
const ops = /** @type {Op[]} */ (parse(told.functions()));
const structs = /** @type {Struct[]} */ (parse(told.structs()));
const enums = /** @type {Enum[]} */ (parse(told.enums()));

const HEAD = '// Made by scripts/describe.mjs from cpp/bindings/bindings.cpp.\n';
/** @type {Record<string, string>} */
const TYPES = { address: 'Address', int: 'number', float: 'number', double: 'number' };

/** @param {Op} op */
function signature({ name, parameters, types, result, scratch }) {
  if (scratch) return `  readonly ${name}: WithScratch;`;
  const names = parameters.split(' ');
  if (names.length !== types.length) throw new Error(`${name}: ${types.length} parameters, but ${names.length} names`);
  const list = names.map((parameter, i) => `${parameter}: ${TYPES[types[i] ?? ''] ?? types[i]}`);
  return `  ${name}(${list.join(', ')}): ${TYPES[result] ?? result};`;
}

const raw = `${HEAD}
/** An address in the module's memory. */
export type Address = number;

/**
 * A function with working memory, whose arguments are a struct. It is offered \`capacity\` bytes. If it needs more, it computes
 * nothing and returns the number of bytes that it needs; otherwise it returns 0.
 */
export type WithScratch = (args: Address, scratch: Address, capacity: number) => number;

/** The functions that cpp/bindings/bindings.cpp binds. */
export interface RawFunctions {
${ops.map(signature).join('\n')}
}

/** The functions whose inputs and output are copied while threads compute. */
export const STREAMING: ReadonlySet<string> = new Set([${ops.filter(({ streams }) => streams).map(({ name }) => `'${name}'`)}]);
`;

/** Fields by name. @param {Struct} struct */
function fieldsOf({ name, names, fields }) {
  const list = names
    .split(', ')
    .map((field, i) => ({ name: field, .../** @type {Struct['fields'][0]} */ (fields[i]) }));
  if (new Set(list.map(({ offset }) => offset)).size < list.length)
    throw new Error(`${name}: expected each field once`);
  return list;
}

/** @type {Record<string, [type: string, bytes: number]>} */
const KINDS = { address: ['Word', 4], int: ['Word', 4], float: ['Float', 4], double: ['Double', 8] };

/** @param {Struct} struct */
function moduleOf(struct) {
  const constants = fieldsOf(struct).map(({ name, offset, type }) => {
    const [kind, bytes] = KINDS[type] ?? [`Within<'${type}'>`, 4];
    return `export const ${name} = ${offset / bytes} as kind.${kind};`;
  });
  return `${HEAD}import type * as kind from './args.js';\n\nexport const BYTES = ${struct.bytes};\n${constants.join('\n')}\n`;
}

const args = `${HEAD}
declare const kind: unique symbol;
/** Indices of a struct's fields in the view of memory of their type; \`Within\` is a struct inside another, in words. */
export type Word = number & { readonly [kind]: 'word' };
export type Float = number & { readonly [kind]: 'float' };
export type Double = number & { readonly [kind]: 'double' };
export type Within<Struct extends string> = number & { readonly [kind]: Struct };

/** The size of the largest struct, in units of 8 bytes. */
export const LARGEST = ${Math.ceil(Math.max(...structs.map(({ bytes }) => bytes)) / 8)};
`;

/** An array whose indices are the values. @param {Enum} values */
function listOf({ name, count, names }) {
  const list = names.split(' ');
  if (list.length !== count) throw new Error(`${name}: ${count} values, but ${list.length} names`);
  return `export const ${name} = [${list.map((value) => `'${value}'`).join(', ')}] as const;`;
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'args.ts'), args);
writeFileSync(join(folder, 'enums.ts'), `${HEAD}\n${enums.map(listOf).join('\n')}\n`);
for (const struct of structs) {
  const name = struct.name[0]?.toLowerCase() + struct.name.slice(1);
  writeFileSync(join(folder, `${name}.ts`), moduleOf(struct));
}
// Last, because the build compares its modification time.
writeFileSync(join(folder, 'description.json'), JSON.stringify({ ops, structs }));
writeFileSync(join(folder, 'raw.ts'), raw);
