import { toFloats } from '../check/arrays.js';
import { toElements } from '../check/elements.js';
import { checkOptions, type Known } from '../check/options.js';
import { kindOf, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { checkHalves, checkWeightType, type WeightType } from '../check/weightType.js';
import { narrow } from '../runtime/halves.js';
import { fresh, orOutOfMemory } from '../runtime/memory.js';
import type { TensorLike } from '../types.js';
import { scalesName, scalesShape } from './int8.js';
import { toInt8 } from './int8Numbers.js';
import { checkName, MAX_HEADER_BYTES, METADATA } from './header.js';

const OPERATION = 'writeSafetensors';

interface Written {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Bytes of an element. */
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** The options of `writeSafetensors`. */
export interface WriteOptions {
  /**
   * How matrices (tensors of floats with two axes) are written: as they are; rounded to float16; or to int8, which
   * takes 26 % of the bytes. A matrix in int8 becomes two tensors: `name`, I8 (rows, columns), holds whole numbers within
   * -63 … 63; `name.scales`, F32 (rows, ceil(columns / 128)), holds the factor of each 128 columns of a row.
   * `readSafetensors` and `openModel` read them as one matrix of floats. Default 'float32'.
   */
  weightType?: WeightType;
}

const OPTIONS: Known<WriteOptions> = { weightType: 1 };

/**
 * The bytes of a .safetensors file, which PyTorch can load: an Int32Array becomes I32, a Uint8Array U8, float16s (a
 * Float16Array, or their bits in a Uint16Array) F16, all other numbers F32. Format: huggingface/safetensors, README,
 * "Format". It does not use the wasm.
 *
 * @throws RangeError for the name `__metadata__`, which the format reserves, for names that are not valid Unicode, and
 *   for two tensors of the same name, and for numbers of 65520 or more that `weightType` would round to float16
 * @example
 * const file = new Blob([writeSafetensors(layer.stateDict())]);
 */
export function writeSafetensors(tensors: Record<string, TensorLike>, options?: WriteOptions): Uint8Array<ArrayBuffer> {
  if (tagOf(tensors) !== 'Object') {
    wrongKind(OPERATION, 'an object of tensors', tensors);
  }
  const { weightType } = checkOptions(OPERATION, options, OPTIONS);
  checkWeightType(OPERATION, 'weightType', weightType);
  const written = Object.entries(tensors).flatMap(([name, tensor]) => write(name, tensor, weightType));
  const names = new Set<string>();
  for (const { name } of written) {
    if (names.has(name)) wrongValue(OPERATION, 'each name once', `${JSON.stringify(name)} twice`);
    names.add(name);
  }
  // Large elements first, so that every tensor begins at a multiple of its element's size.
  written.sort((a, b) => b.size - a.size);

  const header: [string, unknown][] = [[METADATA, { format: 'pt' }]];
  let end = 0;
  for (const { name, dtype, shape, bytes } of written) {
    const begin = end;
    end += bytes.length;
    header.push([name, { dtype, shape, data_offsets: [begin, end] }]);
  }
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  if (headerBytes > MAX_HEADER_BYTES) {
    wrongValue(OPERATION, `a header of at most ${MAX_HEADER_BYTES} bytes`, headerBytes);
  }
  const size = 8 + headerBytes + end;
  const file = orOutOfMemory(OPERATION, size, () => new Uint8Array(size));
  new DataView(file.buffer).setUint32(0, headerBytes, true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(text, 8);
  let at = 8 + headerBytes;
  for (const { bytes } of written) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

/** Types of arrays that are written as they are, and their names in the format. */
const DTYPES: Readonly<Record<string, string>> = {
  Int32Array: 'I32',
  Uint8Array: 'U8',
  Float16Array: 'F16',
  Uint16Array: 'F16',
};

function write(name: string, tensor: TensorLike, weightType: WeightType | undefined): Written[] {
  checkName(OPERATION, name);
  if (name === METADATA) wrongValue(OPERATION, `names other than ${METADATA}`, name);
  const label = name === '' ? "''" : name;
  const elements = toElements(OPERATION, label, tensor);
  const { shape } = elements;
  const dtype = DTYPES[kindOf(elements.data) ?? ''];
  if (dtype) return [written(name, dtype, shape, elements.data)];
  const { data } = toFloats(OPERATION, label, elements);
  if (shape.length === 2 && weightType === 'float16') {
    checkHalves(OPERATION, label, data);
    return [written(name, 'F16', shape, narrow(data, fresh(OPERATION, Uint16Array, data.length)))];
  }
  if (shape.length === 2 && weightType === 'int8') {
    const { numbers, scales } = toInt8(data, shape);
    return [written(name, 'I8', shape, numbers), written(scalesName(name), 'F32', scalesShape(shape), scales)];
  }
  return [written(name, 'F32', shape, data)];
}

function written(name: string, dtype: string, shape: readonly number[], data: unknown): Written {
  const size = { F32: 4, I32: 4, F16: 2 }[dtype] ?? 1;
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  // A view of a detached array would throw.
  const bytes = byteLength === 0 ? new Uint8Array(0) : new Uint8Array(buffer, byteOffset, byteLength);
  return { name, dtype, shape, size, bytes };
}
