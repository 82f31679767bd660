/** The tensors of a checkpoint, from files or from objects. */
import { toTensor } from '../check/arrays.js';
import { checkShape, failed, sizeOf, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { isFloats, openSafetensors, readFloats } from '../safetensors/file.js';
import { joinScales } from '../safetensors/int8.js';
import type { TensorLike } from '../types.js';
import { OPERATION, type Architecture, type Names } from './config/architecture.js';

/** The bytes of a file, of several files in any order, or tensors by name. */
export type Weights =
  ArrayBuffer | ArrayBufferView | Blob | readonly (ArrayBuffer | ArrayBufferView | Blob)[] | Record<string, TensorLike>;

/** A file whose bytes are read in pieces: a Blob, or one behind an address. */
export interface WeightFile {
  /** Without folders. */
  readonly name?: string;
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  stream(): ReadableStream<Uint8Array>;
}

/** The number of elements that are compared at a time, up to whole rows. */
const CHUNK = 2 ** 16;

/** A tensor that has been found but not read. */
interface Found {
  /** Its name in the file. */
  readonly given: string;
  readonly shape: readonly number[];
  /** Its type's name in the file. */
  readonly dtype?: string;
  /** Whether it can be read. */
  readonly isFloats: boolean;
  /** Reads the elements from `begin` to `end` in the order of the file; all by default. */
  read(begin?: number, end?: number): Float32Array;
}

/** A checkpoint's tensors by their names in the model. */
export class Tensors {
  readonly #found: ReadonlyMap<string, Found>;
  readonly #used = new Set<string>();
  readonly #equal = new Map<string, boolean>();

  readonly #architecture: Architecture;

  constructor(found: ReadonlyMap<string, Found>, architecture: Architecture) {
    this.#found = found;
    this.#architecture = architecture;
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
    checkShape(OPERATION, `'${found.given}'`, found.shape, shape);
    if (!found.isFloats) wrongValue(OPERATION, `'${found.given}' to be F32, F16 or BF16`, found.dtype);
    this.#used.add(name);
  }

  /** The prefix that a missing tensor would have: that of its module's other tensors, or of most modules. */
  #prefixOf(name: string): string {
    const { names, tasks } = this.#architecture;
    const module = name.replace(/[^.]*$/, '');
    const sibling = [...this.#found].find(([other]) => other.startsWith(module));
    if (sibling) return prefixOf(names, sibling[1].given);
    // Heads never have it.
    const heads = Object.values(tasks).flatMap(({ map, norm, decoder, bias }) => [map, norm, decoder, bias]);
    if (heads.some((head) => head && name.startsWith(head))) return '';
    return [...this.#found.values()].map(({ given }) => prefixOf(names, given)).find(Boolean) ?? '';
  }

  shapeOf(name: string): readonly number[] | undefined {
    return this.#found.get(name)?.shape;
  }

  /** The name in the file. */
  givenName(name: string): string {
    return this.#found.get(name)!.given;
  }

  read(name: string, begin?: number, end?: number): Float32Array {
    return this.#found.get(name)!.read(begin, end);
  }

  /** Whether two tensors of this shape have the same numbers. Marks both as used. */
  areEqual(name: string, other: string, shape: readonly number[]): boolean {
    this.check(name, shape);
    this.check(other, shape);
    const key = `${name} ${other}`;
    const known = this.#equal.get(key);
    if (known !== undefined) return known;
    const size = sizeOf(shape);
    const row = shape.at(-1)!;
    const chunk = Math.ceil(CHUNK / row) * row;
    let equal = true;
    for (let begin = 0; equal && begin < size; begin += chunk) {
      const [one, two] = [name, other].map((each) => this.read(each, begin, Math.min(begin + chunk, size)));
      equal = one!.every((x, i) => x === two![i]);
    }
    this.#equal.set(key, equal);
    return equal;
  }

  /** The names in the file of tensors that have not been checked. */
  get unused(): readonly string[] {
    return [...this.#found].filter(([name]) => !this.#used.has(name)).map(([, { given }]) => given);
  }
}

function prefixOf({ prefix, otherPrefix = prefix }: Names, given: string): string {
  return [prefix, otherPrefix].find((each) => given.startsWith(each)) ?? '';
}

/** A tensor's name in the model: without the family's prefix, and with today's names of a norm's parameters. */
function modelName(names: Names, given: string): string {
  const name = given.slice(prefixOf(names, given).length);
  return name.replace(/\.gamma$/, '.weight').replace(/\.beta$/, '.bias');
}

/** Finds the tensors, without reading them. */
export async function openWeights(weights: Weights, architecture: Architecture): Promise<Tensors> {
  const found = new Map<string, Found>();
  const add = (tensor: Found): void => {
    const name = modelName(architecture.names, tensor.given);
    if (found.has(name)) wrongValue(OPERATION, 'each name once', `'${tensor.given}' twice`);
    found.set(name, tensor);
  };
  const files = filesOf(weights);
  if (files) {
    for (const file of files) {
      for (const entry of joinScales(openSafetensors(OPERATION, await bytesOf(file)))) {
        const read = (begin?: number, end?: number) => readFloats(entry, begin, end);
        add({ ...entry, given: entry.name, isFloats: isFloats(entry), read });
      }
    }
  } else {
    for (const given of Object.keys(weights)) {
      const { data, shape } = toTensor(OPERATION, given, (weights as Record<string, TensorLike>)[given]!);
      add({ given, shape, isFloats: true, read: (begin, end) => data.subarray(begin, end) });
    }
  }
  return new Tensors(found, architecture);
}

/** A list of files; undefined for tensors by name. */
function filesOf(weights: unknown): readonly unknown[] | undefined {
  if (isFile(weights)) return [weights];
  if (Array.isArray(weights)) {
    const files = Array.from(weights as readonly unknown[]);
    if (files.length === 0) wrongValue(OPERATION, 'weights of at least one file', 'none');
    for (const file of files) {
      if (!isFile(file)) wrongKind(OPERATION, 'weights to be files or tensors by name', file);
    }
    return files;
  }
  if (tagOf(weights) !== 'Object') wrongKind(OPERATION, 'weights to be files or tensors by name', weights);
  return undefined;
}

function isFile(value: unknown): boolean {
  return ArrayBuffer.isView(value) || /^((Shared)?ArrayBuffer|Blob|File)$/.test(tagOf(value));
}

/** The bytes of a file, which may be behind an address. */
export async function bytesOf(file: unknown): Promise<ArrayBufferLike | ArrayBufferView> {
  const { size } = Object(file) as Partial<WeightFile>;
  // Bytes have none.
  if (size === undefined) return file as ArrayBuffer;
  const whole = /^(Blob|File)$/.test(tagOf(file)) ? (file as Blob) : (file as WeightFile).slice(0, size);
  return whole.arrayBuffer().catch((cause: unknown) => {
    return failed(OPERATION, 'a file that can be read', (cause as Error).message, cause);
  });
}
