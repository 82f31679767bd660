import { checkOptions, type Known } from '../check/options.js';
import { wrongKind, wrongValue } from '../check/values.js';
import type { Tensor } from '../types.js';
import { isFloats, openSafetensors, readFloats } from './file.js';
import { joinScales, type JoinedEntry } from './int8.js';
import { fromInt8 } from './int8Numbers.js';

const OPERATION = 'readSafetensors';

type Data = Tensor<Float32Array | Int32Array | Uint8Array>['data'];

/** The options of `readSafetensors`. */
export interface ReadOptions {
  /** Read only these tensors. */
  names?: readonly string[];
  /** The names of tensors of other types, which are not read, are appended to this array. */
  skipped?: string[];
}

const OPTIONS: Known<ReadOptions> = { names: 1, skipped: 1 };

/**
 * Parses a .safetensors file. F32, F16, BF16 and the matrices in int8 that `writeSafetensors` writes become a
 * Float32Array, I32 an Int32Array, U8 and BOOL a Uint8Array. The result has copies of the tensors by name, in the order
 * of their bytes, without the metadata. Tensors of other types are skipped; the option `skipped` lists them.
 *
 * Its type is Float32Array, which is right for parameters. If a file also has whole numbers, name the possible arrays:
 * `readSafetensors<Float32Array | Int32Array>(bytes)`.
 *
 * Format: huggingface/safetensors, README, "Format". It does not use the wasm.
 *
 * @throws RangeError for a name in `names` that the file does not have, and for malformed files: truncated, with holes
 *   or overlaps between tensors, with sizes that contradict shapes, with a header that is not the expected JSON or
 *   longer than 100 MB, with two tensors of the same name
 * @example
 * layer.loadStateDict(readSafetensors(await (await fetch('weights.safetensors')).arrayBuffer()));
 */
export function readSafetensors<T extends Data = Float32Array>(
  bytes: ArrayBufferLike | ArrayBufferView,
  options?: ReadOptions,
): Record<string, Tensor<T>> {
  const { names, skipped } = checkOptions(OPERATION, options, OPTIONS);
  const wanted = names && checkNames(names);
  if (skipped !== undefined && !Array.isArray(skipped)) wrongKind(OPERATION, 'skipped to be an array', skipped);
  const entries = joinScales(openSafetensors(OPERATION, bytes));
  const present = new Set(entries.map(({ name }) => name));
  const absent = wanted && [...wanted].find((name) => !present.has(name));
  if (absent !== undefined) wrongValue(OPERATION, `a tensor ${JSON.stringify(absent)}`, 'none');
  const tensors: [string, Tensor<Data>][] = [];
  for (const entry of entries) {
    const { name, shape } = entry;
    if (wanted && !wanted.has(name)) continue;
    const data = readData(entry);
    if (data) tensors.push([name, { data, shape }]);
    else skipped?.push(name);
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

/** A copy of a tensor's data; undefined for other types. */
function readData(entry: JoinedEntry): Data | undefined {
  const { name, dtype, scales } = entry;
  if (scales) return fromInt8(entry, scales);
  const bytes = entry.bytes.slice();
  if (isFloats(entry)) return readFloats({ ...entry, bytes });
  if (dtype === 'I32') return new Int32Array(bytes.buffer);
  if (dtype === 'BOOL' && bytes.some((byte) => byte > 1)) {
    wrongValue(OPERATION, `${JSON.stringify(name)} to hold bytes 0 and 1`, 'others');
  }
  return dtype === 'U8' || dtype === 'BOOL' ? bytes : undefined;
}
