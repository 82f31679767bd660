/** Reads what stands before the data of a GGUF file: its keys, and where its tensors are. */
import { showShape, sizeOf, wrongValue } from '../../check/values.js';
import { MAX_HEADER_BYTES } from '../../safetensors/header.js';
import type { FileEntry } from '../../safetensors/file.js';
import { namingFile, unlessAborted, type Source } from '../weights/source.js';
import { NO_BYTES, typeOf } from './blocks.js';

/** What a GGUF file begins with. No safetensors file does: its header would have more than a gigabyte. */
export const MAGIC = 'GGUF';

/** How such files are called. */
export const GGUF_FILE = /\.gguf$/i;

/** How many bytes are read first; each later read doubles what is known. */
export const HEAD_BYTES = 2 ** 16;
/** The most bytes of a key or a tensor's name. */
const MAX_NAME_BYTES = 2 ** 16 - 1;
/** The fewest bytes of a key and of a tensor in the header. */
const [KEY_BYTES, TENSOR_BYTES] = [13, 32] as const;

export type Value = number | boolean | string | List;

/** An array: its values are in the header, from `begin` on. */
export interface List {
  readonly type: number;
  readonly count: number;
  readonly begin: number;
}

export interface Header {
  readonly keys: ReadonlyMap<string, Value>;
  /** In the order of the data. */
  readonly entries: readonly FileEntry[];
  /** An array's strings; undefined for anything else. */
  strings(value: Value | undefined): string[] | undefined;
  /** An array's numbers and booleans, as numbers; undefined for anything else. */
  numbers(value: Value | undefined): number[] | undefined;
}

const [BOOL, STRING, LIST] = [7, 8, 9] as const;

/** Bytes of a type, and how they are read; numbers above 2^53 lose their last digits. */
const NUMBERS: Readonly<Record<number, readonly [bytes: number, read: (view: DataView, at: number) => number]>> = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  [BOOL]: [1, (view, at) => view.getUint8(at)],
  10: [8, (view, at) => view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)],
  11: [8, (view, at) => view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)],
  12: [8, (view, at) => view.getFloat64(at, true)],
};

/** Whether a file begins as a GGUF file does, as far as it goes. */
export const isGguf = (bytes: Uint8Array) =>
  bytes.length > 0 && [...bytes.subarray(0, MAGIC.length)].every((byte, i) => byte === MAGIC.charCodeAt(i));

/**
 * @param first what has been read of the file
 * @throws RangeError that names the key or the tensor that is wrong
 */
export async function readHeader(
  operation: string,
  source: Source,
  signal?: AbortSignal,
  first = source.bytes ?? NO_BYTES,
): Promise<Header> {
  const bytes = new HeaderBytes(operation, source, signal, first);
  return namingFile(source, signal, () => parseHeader(operation, bytes, source.size));
}

async function parseHeader(operation: string, bytes: HeaderBytes, size: number): Promise<Header> {
  await bytes.need(24);
  if (!isGguf(bytes.take(4))) wrongValue(operation, `a file that begins with ${MAGIC}`, 'something else');
  const version = bytes.number(4);
  if (version === 2 ** 24 * 2 || version === 2 ** 24 * 3) wrongValue(operation, 'a little-endian file', 'big-endian');
  if (version !== 2 && version !== 3) wrongValue(operation, `version 2 or 3 of ${MAGIC}`, version);
  const [tensors, count] = [bytes.number(10), bytes.number(10)];
  bytes.what = `${tensors} tensors and ${count} keys`;
  bytes.checkRoom(TENSOR_BYTES * tensors + KEY_BYTES * count);
  const keys = new Map<string, Value>();
  for (let i = 0; i < count; ++i) {
    bytes.what = `key ${i}`;
    const key = await bytes.string(MAX_NAME_BYTES);
    if (keys.has(key)) wrongValue(operation, 'each key once', `'${key}' twice`);
    bytes.what = `key '${key}'`;
    await bytes.need(4);
    keys.set(key, await valueOf(bytes, bytes.number(4)));
  }
  const alignment = keys.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment < 8 || !Number.isInteger(Math.log2(alignment))) {
    wrongValue(operation, "key 'general.alignment' to be a power of two from 8 on", alignment);
  }
  const found = new Map<string, FileEntry>();
  for (let i = 0; i < tensors; ++i) {
    bytes.what = `tensor ${i}`;
    const name = await bytes.string(MAX_NAME_BYTES);
    if (found.has(name)) wrongValue(operation, 'each name once', `'${name}' twice`);
    bytes.what = `tensor '${name}'`;
    found.set(name, await tensorOf(bytes, name, alignment));
  }
  const start = Math.ceil(bytes.at / alignment) * alignment;
  const entries = [...found.values()].map((each) => ({ ...each, begin: start + each.begin, end: start + each.end }));
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let last = 0;
  for (const { name, begin, end } of entries) {
    if (begin < last) wrongValue(operation, `'${name}' to begin at byte ${last} or later`, begin);
    if (end > size) wrongValue(operation, `'${name}' to end within the file's ${size} bytes`, `byte ${end}`);
    last = end;
  }
  return { keys, entries, strings: (value) => bytes.strings(value), numbers: (value) => bytes.numbers(value) };
}

async function valueOf(bytes: HeaderBytes, type: number): Promise<Value> {
  if (type === STRING) return bytes.string();
  if (type === LIST) return listOf(bytes);
  await bytes.need(sizeOfType(bytes, type));
  const value = bytes.number(type);
  return type === BOOL ? value !== 0 : value;
}

async function listOf(bytes: HeaderBytes): Promise<List> {
  await bytes.need(12);
  const [type, count] = [bytes.number(4), bytes.number(10)];
  if (type === LIST) bytes.wrong('to hold numbers or strings', 'arrays');
  const list = { type, count, begin: bytes.at };
  if (type !== STRING) {
    await bytes.need(count * sizeOfType(bytes, type));
    bytes.at += count * sizeOfType(bytes, type);
    return list;
  }
  bytes.checkRoom(8 * count);
  for (let i = 0; i < count; ++i) {
    if (bytes.lacks(8)) await bytes.need(8);
    const length = bytes.number(10);
    if (bytes.lacks(length)) await bytes.need(length);
    bytes.at += length;
  }
  return list;
}

function sizeOfType(bytes: HeaderBytes, type: number): number {
  return NUMBERS[type]?.[0] ?? bytes.wrong('of a type from 0 to 12', type);
}

/** A tensor, whose place is counted from the beginning of the data. */
async function tensorOf(bytes: HeaderBytes, name: string, alignment: number): Promise<FileEntry> {
  await bytes.need(4);
  const axes = bytes.number(4);
  if (axes < 1 || axes > 4) bytes.wrong('of 1 to 4 dimensions', axes);
  await bytes.need(8 * axes + 12);
  // The innermost comes first.
  const shape = Array.from({ length: axes }, () => bytes.number(10)).reverse();
  const { name: dtype, values, size, read } = typeOf(bytes.number(4));
  const begin = bytes.number(10);
  const count = sizeOf(shape);
  if (count < 1 || !Number.isSafeInteger(8 * count)) {
    bytes.wrong('with dimensions of at least 1 that fit into memory', showShape(shape));
  }
  if (shape.at(-1)! % values !== 0) bytes.wrong(`of ${dtype} with rows of a multiple of ${values}`, shape.at(-1));
  if (begin % alignment !== 0) bytes.wrong(`at a multiple of ${alignment} bytes`, begin);
  const end = begin + (count / values) * size;
  return { name, dtype, shape, begin, end, bytes: NO_BYTES, ...(read && { read }) };
}

/** The first bytes of a file, which are read as they are needed. */
class HeaderBytes {
  at = 0;
  /** What is read, in messages. */
  what = `the beginning of a ${MAGIC} file`;
  readonly #operation: string;
  readonly #source: Source;
  readonly #signal: AbortSignal | undefined;
  #bytes: Uint8Array;
  #view: DataView;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(operation: string, source: Source, signal: AbortSignal | undefined, first: Uint8Array) {
    this.#operation = operation;
    this.#source = source;
    this.#signal = signal;
    this.#bytes = first;
    this.#view = viewOf(this.#bytes);
  }

  wrong(expected: string, got: unknown): never {
    return wrongValue(this.#operation, `${this.what} ${expected}`, got);
  }

  lacks(count: number): boolean {
    return this.at + count > this.#bytes.length;
  }

  /** Throws unless the file may have so many more bytes of header. */
  checkRoom(count: number): void {
    const { size } = this.#source;
    const end = this.at + count;
    if (end > size) this.wrong(`to end within the file's ${size} bytes`, `byte ${end}`);
    if (end > MAX_HEADER_BYTES) this.wrong(`to end within the ${MAX_HEADER_BYTES} bytes of a header`, `byte ${end}`);
  }

  /** Reads on until there are so many more bytes. */
  async need(count: number): Promise<void> {
    this.checkRoom(count);
    if (!this.lacks(count)) return;
    const known = this.#bytes;
    const length = Math.min(this.#source.size, Math.max(HEAD_BYTES, 2 * known.length, this.at + count));
    const bytes = new Uint8Array(length);
    bytes.set(known);
    await unlessAborted(this.#signal, this.#source.read(bytes.subarray(known.length), known.length, length));
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  take(count: number): Uint8Array {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  number(type: number): number {
    const [size, read] = NUMBERS[type]!;
    this.at += size;
    return read(this.#view, this.at - size);
  }

  async string(most = Infinity): Promise<string> {
    await this.need(8);
    const length = this.number(10);
    if (length > most) this.wrong(`of at most ${most} bytes`, length);
    await this.need(length);
    return this.#decoder.decode(this.take(length));
  }

  strings(value: Value | undefined): string[] | undefined {
    return this.#list(value, true, () => this.#decoder.decode(this.take(this.number(10))));
  }

  numbers(value: Value | undefined): number[] | undefined {
    return this.#list(value, false, (type) => this.number(type));
  }

  #list<T>(value: Value | undefined, isText: boolean, read: (type: number) => T): T[] | undefined {
    if (typeof value !== 'object' || (value.type === STRING) !== isText) return undefined;
    this.at = value.begin;
    return Array.from({ length: value.count }, () => read(value.type));
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
