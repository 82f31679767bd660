/** The tensors of a checkpoint, from files or from objects. */
import { toTensor } from '../check/arrays.js';
import { checkShape, sizeOf, tagOf, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { entriesOf, headerBytesOf, isFloats, LENGTH_BYTES, readFloats, type FileEntry } from '../safetensors/file.js';
import { joinScales, type JoinedEntry } from '../safetensors/int8.js';
import { fileTypes } from '../generated/bindings/enums.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import type { WeightFile } from './checkpoint/types.js';
import { OPERATION, type Architecture, type Names } from './config/architecture.js';
import { isGguf, MAGIC } from './gguf/header.js';
import { READABLE } from './gguf/blocks.js';
import type { Metadata } from './gguf/metadata.js';
import {
  fileNamed,
  isWeightFile,
  namingFile,
  openSource,
  readBytes,
  unlessAborted,
  type Source,
} from './weights/source.js';

/** A file or several in any order: bytes, Blobs, or files of `readCheckpoint`. Or tensors by name. */
export type Weights =
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | WeightFile
  | readonly (ArrayBuffer | ArrayBufferView | Blob | WeightFile)[]
  | Record<string, TensorLike>;

/** The bytes of a file that most headers fit into. */
const HEAD_BYTES = 2 ** 16;
/** How many files are kept open: browsers allow six connections to a server. */
const MOST_OPEN = 4;

/** A tensor that has been found. */
interface Found {
  /** The tensor in its file, without bytes if they are not in memory. */
  readonly entry: JoinedEntry;
  readonly source: Source;
  /** The tensor with its bytes, while they are in memory. */
  held: JoinedEntry | undefined;
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Where a tensor is. */
export interface Place {
  readonly source: Source;
  /** Of its bytes in the file, one range after another. */
  readonly ranges: readonly Range[];
  /** The number of its bytes. */
  readonly size: number;
  readonly isInMemory: boolean;
}

/** A checkpoint's tensors by their names in the model. */
export class Tensors {
  readonly #found: ReadonlyMap<string, Found>;
  readonly #used = new Set<string>();
  readonly #equal = new Map<string, boolean>();
  readonly #architecture: Architecture;
  /** The types that tensors of a GGUF file may have. */
  readonly #ggufTypes: string | undefined;
  #floats = new Float32Array(0);
  #twins: readonly [name: string, other: string] | undefined;

  constructor(found: ReadonlyMap<string, Found>, architecture: Architecture, ggufTypes?: string) {
    this.#found = found;
    this.#architecture = architecture;
    this.#ggufTypes = ggufTypes;
  }

  has(name: string): boolean {
    return this.#found.has(name);
  }

  /** Throws unless there is a tensor of this name and shape; marks it as used. */
  check(name: string, shape: readonly number[]): void {
    const found = this.#found.get(name);
    if (!found) {
      return wrongValue(OPERATION, `a tensor '${this.#prefixOf(name)}${name}'`, 'none');
    }
    const { entry } = found;
    checkShape(OPERATION, `'${entry.name}'`, entry.shape, shape);
    if (!isFloats(entry) && !entry.scales && kernelType(entry) < 0)
      wrongValue(OPERATION, `'${entry.name}' to be ${this.#ggufTypes ?? 'F32, F16 or BF16'}`, entry.dtype);
    this.#used.add(name);
  }

  /** The prefix that a missing tensor would have: that of its module's other tensors, or of most modules. */
  #prefixOf(name: string): string {
    const { names, tasks, projection } = this.#architecture;
    // Heads never have it.
    const heads = [
      ...Object.values(tasks).flatMap(({ map, norm, decoder, bias, also }) => [
        map,
        norm,
        decoder,
        bias,
        also?.decoder,
      ]),
      projection?.name,
      names.logitScale,
      names.logitBias,
    ];
    if (heads.some((head) => head && name.startsWith(head))) return '';
    const module = name.replace(/[^.]*$/, '');
    const sibling = [...this.#found].find(([other]) => other.startsWith(module));
    if (sibling) return prefixOf(names, sibling[1].entry.name);
    return [...this.#found.values()].map(({ entry }) => prefixOf(names, entry.name)).find(Boolean) ?? '';
  }

  shapeOf(name: string): readonly number[] | undefined {
    return this.#found.get(name)?.entry.shape;
  }

  /** The name in the file, of the tensor whose bytes it has. */
  givenName(name: string): string {
    const { held, entry } = this.#found.get(name)!;
    return (held ?? entry).name;
  }

  /**
   * Reads whole rows, from element `begin` to `end`, of a tensor whose bytes are in memory, in a scope of the module's
   * memory. The next call may overwrite the result.
   */
  read({ raw, memory }: Wasm, name: string, begin: number, end: number): Float32Array {
    const entry = this.#found.get(name)!.held!;
    const { bytes, shape, scales } = entry;
    const type = kernelType(entry);
    if (type < 0 && !scales) {
      return readFloats(entry, begin, end, (length) => {
        if (this.#floats.length < length) this.#floats = new Float32Array(length);
        return this.#floats.subarray(0, length);
      });
    }
    const each = bytes.length / sizeOf(shape);
    const from = memory.bytes(bytes.subarray(begin * each, end * each));
    const floats = memory.reserve(end - begin);
    if (scales) {
      const columns = shape[1]!;
      const [row, last] = [begin / columns, end / columns];
      const factors = readFloats(scales, row * scales.shape[1]!, last * scales.shape[1]!);
      raw.widenInt8(from, memory.floats(factors), floats, last - row, columns);
    } else {
      raw.widenFileNumbers(from, floats, end - begin, type);
    }
    return memory.view(floats, end - begin);
  }

  placeOf(name: string): Place {
    const { source, entry, held } = this.#found.get(name)!;
    const ranges = entry.scales ? [entry, entry.scales] : [entry];
    const size = ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);
    return { source, ranges, size, isInMemory: held !== undefined };
  }

  /** Gives a tensor the bytes of one like it, by default its own. */
  hold(name: string, bytes: Uint8Array, like = name): void {
    this.#found.get(name)!.held = withBytes(this.#found.get(like)!.entry, bytes);
  }

  /** Takes a tensor's bytes. */
  drop(name: string): void {
    this.#found.get(name)!.held = undefined;
  }

  /**
   * Whether two tensors of this shape have the same bytes. If they are not both in memory, this will be known when they
   * are read: then it is assumed, and they are the `twins`. Marks both as used.
   */
  mayBeEqual(name: string, other: string, shape: readonly number[]): boolean {
    this.check(name, shape);
    this.check(other, shape);
    const [one, two] = [name, other].map((each) => this.#found.get(each)!) as [Found, Found];
    if (one.entry.dtype !== two.entry.dtype) return false;
    if (!one.held || !two.held) {
      this.#twins ??= [name, other];
      return this.#twins[0] === name && this.#twins[1] === other;
    }
    const key = `${name} ${other}`;
    const equal = this.#equal.get(key) ?? sameTensors(one.held, two.held);
    this.#equal.set(key, equal);
    return equal;
  }

  /**
   * Throws if a layer has a weight, or a module a bias, that has not been checked: the file is another family's. llama.cpp
   * has a use for all tensors that a GGUF file has in layers, for rotary positions, or beside its embedding.
   */
  checkLayers(): void {
    const layerOf = (name: string): string | undefined => /^.*?\.\d+\./.exec(name)?.[0];
    const layers = new Set([...this.#used].map(layerOf));
    for (const [name, { entry }] of this.#found) {
      const [module, tensor] = [name.replace(/[^.]*$/, ''), /[^.]*$/.exec(name)![0]];
      const layer = layerOf(name);
      const isOurs =
        (this.#ggufTypes !== undefined && /^(blk|rope|token|position|dense)/.test(name)) ||
        (tensor === 'weight'
          ? layer !== undefined && layers.has(layer)
          : tensor === 'bias' && this.#used.has(`${module}weight`));
      if (isOurs && !this.#used.has(name)) {
        wrongValue(OPERATION, `no tensor '${entry.name}' in ${this.#architecture.family}`, 'one');
      }
    }
  }

  get twins(): readonly [name: string, other: string] | undefined {
    return this.#twins;
  }

  /** The names in the file of tensors that have not been checked. */
  get unused(): readonly string[] {
    return [...this.#found].filter(([name]) => !this.#used.has(name)).map(([, { entry }]) => entry.name);
  }
}

/** The number of a type that C++ widens, or -1. */
function kernelType({ dtype }: FileEntry): number {
  return fileTypes.indexOf(dtype as (typeof fileTypes)[number]);
}

function prefixOf({ prefix, otherPrefix = prefix }: Names, given: string): string {
  return [prefix, otherPrefix].find((each) => given.startsWith(each)) ?? '';
}

function withBytes(entry: JoinedEntry, bytes: Uint8Array): JoinedEntry {
  const { scales } = entry;
  const size = entry.end - entry.begin;
  const held = { ...entry, bytes: bytes.subarray(0, size) };
  return scales ? { ...held, scales: { ...scales, bytes: bytes.subarray(size) } } : held;
}

/** Whether arrays of one length are equal. */
export function sameBytes(one: Uint8Array, two: Uint8Array): boolean {
  return one.every((byte, i) => byte === two[i]);
}

function sameTensors(one: JoinedEntry, two: JoinedEntry): boolean {
  return sameBytes(one.bytes, two.bytes) && (!one.scales || sameTensors(one.scales, two.scales!));
}

/** A tensor's name in the model: without the family's prefix, and with today's names of a norm's parameters. */
function modelName(names: Names, given: string): string {
  const name = given.slice(prefixOf(names, given).length);
  return name.replace(/\.gamma$/, '.weight').replace(/\.beta$/, '.bias');
}

/**
 * Opens the files that weights are in.
 *
 * @param index model.safetensors.index.json: files that it does not name are not opened
 * @returns undefined for tensors by name
 */
export function openSources(weights: unknown, index: unknown): Source[] | undefined {
  const files = isWeightFile(weights) ? [weights] : Array.isArray(weights) ? (weights as unknown[]) : undefined;
  if (!files) {
    if (tagOf(weights) !== 'Object') wrongKind(OPERATION, 'weights to be files or tensors by name', weights);
    return undefined;
  }
  if (files.length === 0) wrongValue(OPERATION, 'weights of at least one file', 'none');
  const sources = files.map((file) =>
    isWeightFile(file) ? openSource(file) : wrongKind(OPERATION, 'weights to be files or tensors by name', file),
  );
  const indexed = index == null ? undefined : new Set(fileNamesOf(OPERATION, index).values());
  if (!indexed) return sources;
  const names = new Set(sources.map(({ name }) => name));
  const missing = [...indexed].find((name) => !names.has(name));
  // A file without a name may be any.
  if (missing !== undefined && !names.has(undefined)) wrongValue(OPERATION, fileNamed(missing), 'none');
  return sources.filter(({ name }) => name === undefined || indexed.has(name));
}

/** The file of each tensor that an index names. */
export function fileNamesOf(operation: string, index: unknown): ReadonlyMap<string, string> {
  const map = (Object(index) as { weight_map?: unknown }).weight_map;
  if (tagOf(map) !== 'Object') wrongValue(operation, 'index.weight_map to be an object', map);
  const entries = Object.entries(map as Record<string, unknown>);
  if (entries.length === 0) wrongValue(operation, 'index.weight_map of at least one tensor', 'none');
  for (const [name, file] of entries) {
    if (typeof file !== 'string' || !/^(?!\.{1,2}$)[^/\\]+$/.test(file)) {
      wrongValue(operation, `index.weight_map['${name}'] to be a file's name without folders`, file);
    }
  }
  return new Map(entries as [string, string][]);
}

/** Finds the tensors. Of files that are not in memory it reads only the headers. */
export async function openWeights(
  weights: Weights,
  sources: readonly Source[] | undefined,
  index: unknown,
  architecture: Architecture,
  signal?: AbortSignal,
  gguf?: Metadata,
): Promise<Tensors> {
  const found = new Map<string, Found>();
  const files = index == null ? undefined : fileNamesOf(OPERATION, index);
  const inFiles = new Set<string>();
  const add = (tensor: Found): void => {
    const { name: given } = tensor.entry;
    const name = modelName(architecture.names, given);
    if (found.has(name)) wrongValue(OPERATION, 'each name once', `'${given}' twice`);
    found.set(name, tensor);
  };
  for (const source of sources ?? []) {
    const entries: JoinedEntry[] = gguf ? entriesIn(gguf, source) : joinScales(await headerOf(source, signal));
    for (const entry of entries) {
      const file = files?.get(entry.name);
      if (file !== undefined && source.name !== undefined && file !== source.name) continue;
      inFiles.add(entry.name);
      if (entry.scales) inFiles.add(entry.scales.name);
      add({ entry, source, held: source.bytes && entry });
    }
    if (sources!.length > MOST_OPEN) source.close();
  }
  for (const [name, file] of files ?? []) {
    if (!inFiles.has(name)) wrongValue(OPERATION, `a tensor '${name}' in '${file}', as the index says`, 'none');
  }
  for (const given of sources ? [] : Object.keys(weights)) {
    const { data, shape } = toTensor(OPERATION, given, (weights as Record<string, TensorLike>)[given]!);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const entry = { name: given, dtype: 'F32', shape, begin: 0, end: bytes.length, bytes };
    add({ entry, source: openSource(bytes), held: entry });
  }
  return new Tensors(found, architecture, gguf && READABLE);
}

/** The tensors of a GGUF file. */
function entriesIn({ header, read }: Metadata, { bytes = NO_BYTES }: Source): FileEntry[] {
  const entries = header.entries.filter(({ name }) => !read.has(name));
  return entries.map((entry) => ({ ...entry, bytes: bytes.subarray(entry.begin, entry.end) }));
}

const NO_BYTES = new Uint8Array(0);

/** The tensors of a file, with their bytes if these are in memory. */
async function headerOf(source: Source, signal: AbortSignal | undefined): Promise<FileEntry[]> {
  const { size, bytes } = source;
  const read = async (start: number, count: number, until: number): Promise<Uint8Array> =>
    bytes?.slice(start, start + count) ?? unlessAborted(signal, readBytes(source, start, count, until));
  return namingFile(source, signal, async () => {
    const first = await read(0, Math.min(LENGTH_BYTES, size), Math.min(HEAD_BYTES, size));
    if (first.length >= MAGIC.length && isGguf(first)) {
      wrongUse(OPERATION, 'no config beside a GGUF file, which has its own', 'both');
    }
    const count = headerBytesOf(OPERATION, first, size);
    const header = await read(LENGTH_BYTES, count, LENGTH_BYTES + count);
    return entriesOf(OPERATION, header, size).map((entry) => ({
      ...entry,
      bytes: bytes?.subarray(entry.begin, entry.end) ?? NO_BYTES,
    }));
  });
}
