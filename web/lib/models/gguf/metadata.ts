/** The keys of a GGUF file, as a family's config has them. */
import { checkShape, wrongValue } from '../../check/values.js';
import { readFloats } from '../../safetensors/file.js';
import type { SentenceModules } from '../checkpoint/types.js';
import { OPERATION } from '../config/architecture.js';
import { readBytes, unlessAborted, type Source } from '../weights/source.js';
import { GGUF_FILE, HEAD_BYTES, isGguf, readHeader, type Header, type Value } from './header.js';

/** What the numbers of pooling mean: none, mean, cls, last, and of rerankers the class token's. */
const POOLING = { 0: '', 1: 'mean', 2: 'cls', 3: 'lasttoken', 4: '' } as const;

/** The file's metadata, if there is one file and it is GGUF. */
export async function openGguf(
  sources: readonly Source[] | undefined,
  signal?: AbortSignal,
): Promise<Metadata | undefined> {
  const [source, ...others] = sources ?? [];
  if (!source || others.length > 0) return undefined;
  const { name, size } = source;
  const first = source.bytes ?? (await unlessAborted(signal, readBytes(source, 0, Math.min(HEAD_BYTES, size))));
  if (!isGguf(first) && !GGUF_FILE.test(name ?? '')) return undefined;
  return new Metadata(await readHeader(OPERATION, source, signal, first), source);
}

/** A file that has been opened, but for its data. */
export class Metadata {
  readonly header: Header;
  /** general.architecture */
  readonly architecture: string;
  readonly #source: Source;
  /** The names of tensors that are parts of the config. */
  readonly read = new Set<string>();
  /** The architecture's keys that have been asked for. */
  readonly #asked = new Set<string>();

  constructor(header: Header, source: Source) {
    this.header = header;
    this.#source = source;
    this.architecture = this.#text('general.architecture');
    const parts = this.get('split.count') ?? 1;
    if (parts !== 1 && parts !== 0) wrongValue(OPERATION, `a whole file (key 'split.count' of 1)`, parts);
  }

  #text(key: string): string {
    const value = this.get(key);
    return typeof value === 'string' ? value : wrongValue(OPERATION, `key '${key}' to be a string`, value ?? 'none');
  }

  /** A value by its whole key. */
  get(key: string): Value | undefined {
    return this.header.keys.get(key);
  }

  /** A list of the architecture's, by layer. */
  list(key: string): readonly unknown[] | undefined {
    const value = this.get(`${this.architecture}.${key}`);
    return this.header.numbers(value) ?? this.header.strings(value);
  }

  /** A value of the architecture's that may be missing; of a list that says the same for all layers, that. */
  optional(key: string): unknown {
    this.#asked.add(key);
    const list = this.list(key);
    if (!list) return this.get(`${this.architecture}.${key}`);
    return list.length > 0 && list.every((each) => each === list[0]) ? list[0] : list;
  }

  /** A value of the architecture's. */
  needed(key: string): unknown {
    return this.optional(key) ?? wrongValue(OPERATION, `key '${this.architecture}.${key}'`, 'none');
  }

  /** A number of the architecture's. */
  number(key: string, otherwise?: number): number {
    const value = this.optional(key) ?? otherwise ?? this.needed(key);
    const name = `${this.architecture}.${key}`;
    return typeof value === 'number' ? value : wrongValue(OPERATION, `key '${name}' to be a number`, value);
  }

  /**
   * Throws for a key that nothing has asked for and that changes results where llama.cpp reads it, unless it is 0, or 1:
   * the architecture has no use for it.
   */
  checkRest(): void {
    for (const [name, value] of this.header.keys) {
      const [, key] = name.split(`${this.architecture}.`);
      if (key === undefined || this.#asked.has(key)) continue;
      const isRefused = /(window|capping|_bias|_kqv|multiplier|attention.*scale)$/.test(key)
        ? value !== 0
        : /(_scale|factor)$/.test(key) && value !== 1;
      if (isRefused) wrongValue(OPERATION, `no key '${name}'`, value);
    }
  }

  /** What `embed` does after the last layer. */
  get sentence(): SentenceModules | undefined {
    const type = this.optional('pooling_type') ?? 0;
    const mode = POOLING[type as keyof typeof POOLING];
    if (mode === undefined) {
      wrongValue(OPERATION, `key '${this.architecture}.pooling_type' to be a number from 0 to 4`, type);
    }
    return mode === '' ? undefined : { pooling: { pooling_mode: mode } };
  }

  shapeOf(tensor: string): readonly number[] | undefined {
    return this.header.entries.find(({ name }) => name === tensor)?.shape;
  }

  has(tensor: string): boolean {
    return this.shapeOf(tensor) !== undefined;
  }

  /** The rows of a table that has to be there. */
  rows(tensor: string): number {
    const shape = this.shapeOf(tensor);
    if (shape?.length !== 2) {
      wrongValue(OPERATION, `a tensor '${tensor}' of two dimensions`, shape ? `${shape.length}` : 'none');
    }
    return shape[0]!;
  }

  /** The numbers of a vector of this length; undefined if there is no such tensor. */
  async vector(tensor: string, length: number): Promise<number[] | undefined> {
    const entry = this.header.entries.find(({ name }) => name === tensor);
    if (!entry) return undefined;
    checkShape(OPERATION, `'${tensor}'`, entry.shape, [length]);
    if (entry.dtype !== 'F32') wrongValue(OPERATION, `'${tensor}' to be F32`, entry.dtype);
    this.read.add(tensor);
    const bytes = await readBytes(this.#source, entry.begin, entry.end - entry.begin);
    const numbers = [...readFloats({ ...entry, bytes })];
    const wrong = numbers.find((each) => !(each > 0 && each < Infinity));
    return wrong === undefined ? numbers : wrongValue(OPERATION, `'${tensor}' to hold numbers above 0`, wrong);
  }
}
