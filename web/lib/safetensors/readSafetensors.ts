import { checkOptions, type Known } from '../check/options.js';
import { showShape, tagOf, wrongKind, wrongValue } from '../check/values.js';
import type { Tensor } from '../types.js';
import type { Data } from './dtypes.js';
import { DTYPES } from './dtypes.js';
import { MAX_HEADER_BYTES, parseHeader, type Entry } from './header.js';

const OPERATION = 'readSafetensors';

/** The options of `readSafetensors`. */
export interface ReadOptions {
  /** Read only these tensors. */
  names?: readonly string[];
  /** The names of tensors of other types, which are not read, are appended to this array. */
  skipped?: string[];
}

const OPTIONS: Known<ReadOptions> = { names: 1, skipped: 1 };

/**
 * Parses a .safetensors file. F32, F16 and BF16 become a Float32Array, I32 an Int32Array, U8 and BOOL a Uint8Array. The result has
 * copies of the tensors by name, in the order of their bytes, without the metadata. Tensors of other types are left out; the option
 * `skipped` lists them.
 *
 * Its type says Float32Array, which is right for weights. If a file also has whole numbers, name the possible arrays:
 * `readSafetensors<Float32Array | Int32Array>(bytes)`.
 *
 * Format: huggingface/safetensors, README, "Format". It does not use the wasm.
 *
 * @throws RangeError for a name in `names` that the file does not have, and for malformed files: truncated, with holes or overlaps between tensors, with sizes that
 *   contradict shapes, with a header that is not the expected JSON or longer than 100 MB, with two tensors of the same name
 * @example
 * layer.loadStateDict(readSafetensors(await (await fetch('weights.safetensors')).arrayBuffer()));
 */
export function readSafetensors<T extends Data = Float32Array>(
  bytes: ArrayBufferLike | ArrayBufferView,
  options?: ReadOptions,
): Record<string, Tensor<T>> {
  const { names, skipped } = checkOptions(OPERATION, options, OPTIONS);
  const wanted = names && checkNames(names);
  if (skipped !== undefined && !Array.isArray(skipped))
    wrongKind(OPERATION, 'skipped to be an array', skipped);
  const file = toBytes(bytes);
  if (file.length < 8) wrongValue(OPERATION, 'a header', `${file.length} bytes`);
  const lengths = new DataView(file.buffer, file.byteOffset, 8);
  const headerBytes = lengths.getUint32(0, true) + 2 ** 32 * lengths.getUint32(4, true);
  if (headerBytes > MAX_HEADER_BYTES) {
    wrongValue(OPERATION, `a header of at most ${MAX_HEADER_BYTES} bytes`, headerBytes);
  }
  const start = 8 + headerBytes;
  if (start > file.length)
    wrongValue(OPERATION, `a header of ${headerBytes} bytes`, `${file.length - 8} bytes`);
  const entries = parseHeader(OPERATION, file.slice(8, start));
  const end = entries.reduce(checkEntry, 0);
  if (end !== file.length - start) {
    wrongValue(OPERATION, `${end} bytes of data, as the header says`, `${file.length - start}`);
  }
  const present = new Set(entries.map(({ name }) => name));
  const absent = wanted && [...wanted].find((name) => !present.has(name));
  if (absent !== undefined) wrongValue(OPERATION, `a tensor ${JSON.stringify(absent)}`, 'none');
  const tensors: [string, Tensor<Data>][] = [];
  for (const entry of entries) {
    const { name, dtype, begin, end } = entry;
    if (wanted && !wanted.has(name)) continue;
    if (Object.hasOwn(DTYPES, dtype)) {
      tensors.push([name, readTensor(entry, file.slice(start + begin, start + end))]);
    } else {
      skipped?.push(name);
    }
  }
  return Object.fromEntries(tensors) as Record<string, Tensor<T>>;
}

function checkNames(names: unknown): Set<string> {
  if (!Array.isArray(names)) wrongKind(OPERATION, 'names to be an array of strings', names);
  const wanted = new Set<string>();
  for (let i = 0, { length } = names; i < length; ++i) {
    const name: unknown = names[i];
    if (typeof name !== 'string') wrongKind(OPERATION, 'names to be an array of strings', name);
    wanted.add(name);
  }
  return wanted;
}

/** Checks that an entry begins where the previous one ended and has as many bytes as its shape needs; returns its end. */
function checkEntry(end: number, entry: Entry): number {
  const what = JSON.stringify(entry.name);
  if (entry.begin !== end) wrongValue(OPERATION, `${what} to begin at byte ${end}`, entry.begin);
  // Of a type that this library does not read, the size of an element is not known.
  if (!Object.hasOwn(DTYPES, entry.dtype)) return entry.end;
  let size = DTYPES[entry.dtype]!.size;
  for (const axis of entry.shape) {
    size *= axis;
    if (!Number.isSafeInteger(size)) {
      wrongValue(OPERATION, `${what} to fit into memory`, `shape ${showShape(entry.shape)}`);
    }
  }
  if (entry.end - entry.begin !== size) {
    const of = `${what}, ${entry.dtype} of shape ${showShape(entry.shape)},`;
    wrongValue(OPERATION, `${of} to have ${size} bytes`, entry.end - entry.begin);
  }
  return entry.end;
}

function readTensor({ name, dtype, shape }: Entry, bytes: Uint8Array<ArrayBuffer>): Tensor<Data> {
  const data = DTYPES[dtype]!.read(bytes);
  return data
    ? { data, shape }
    : wrongValue(OPERATION, `${JSON.stringify(name)} to hold bytes 0 and 1`, 'others');
}

/** A view of the argument's bytes. Checks the tag, not the class, because arrays from other realms are fine. */
function toBytes(bytes: unknown): Uint8Array {
  const isView = ArrayBuffer.isView(bytes);
  if (!isView && !/^(Shared)?ArrayBuffer$/.test(tagOf(bytes))) {
    wrongKind(OPERATION, 'an ArrayBuffer or a typed array', bytes);
  }
  const given = bytes as ArrayBuffer | ArrayBufferView;
  // A view of a detached buffer would throw.
  if (given.byteLength === 0) return new Uint8Array(0);
  return isView
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(given as ArrayBuffer);
}
