/** numpy's .npy format, versions 1 to 3. Source: numpy, "numpy.lib.format". */

import type { Shaped } from '../../package-types.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY

/** Readers of numbers, by numpy's type code without byte order. */
const TYPES: Readonly<Record<string, (view: DataView, at: number, little: boolean) => number>> = {
  u1: (view, at) => view.getUint8(at),
  f2: (view, at, little) => half(view.getUint16(at, little)),
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
};

/** The names of numpy's dtypes. */
const NAMES: Readonly<Record<string, string>> = {
  uint8: '|u1',
  float16: '<f2',
  float32: '<f4',
  float64: '<f8',
};

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/**
 * Reads a .npy file of uint8, float16, float32 or float64, in either byte order and either axis order.
 *
 * @throws RangeError for other types, an invalid header, and too few or too many bytes
 */
export function readNpy(bytes: Uint8Array): Shaped {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = bytes[6] ?? 0;
  const begin = version === 1 ? 10 : 12;
  if (version < 1 || version > 3 || bytes.length < begin)
    throw new RangeError('loadArrays: expected .npy bytes of version 1, 2 or 3');
  const end = begin + (version === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (end > bytes.length) throw new RangeError('loadArrays: expected .npy bytes with a whole header');
  const header = new TextDecoder().decode(bytes.subarray(begin, end));
  const of = (key: string, value: RegExp): string | undefined =>
    new RegExp(`'${key}': *${value.source}`).exec(header)?.[1];
  const type = of('descr', /'([^']*)'/);
  const order = of('fortran_order', /(True|False)/);
  const sizes = of('shape', /\(((?:\d+, *)*\d*)\)/);
  if (type === undefined || order === undefined || sizes === undefined)
    throw new RangeError('loadArrays: expected .npy bytes whose header has descr, fortran_order and shape');
  const shape = (sizes.match(/\d+/g) ?? []).map(Number);
  const read = readNumbers(bytes.subarray(end), type, shape);
  return order === 'False' ? read : { data: rowByRow(read.data, shape), shape };
}

/**
 * Reads consecutive numbers.
 *
 * @param type numpy's name, such as `float32`, or its type code, such as `<f4`
 */
export function readNumbers(bytes: Uint8Array, type: string, shape: readonly number[]): Shaped {
  const [, order, kind] = /^([<>|=]?)(\w+)$/.exec(NAMES[type] ?? type) ?? [];
  const read = kind !== undefined && Object.hasOwn(TYPES, kind) ? TYPES[kind] : undefined;
  if (read === undefined || kind === undefined)
    throw new RangeError(`loadArrays: expected uint8, float16, float32 or float64, got ${type.slice(0, 50)}`);
  const size = Number(kind[1]);
  const count = shape.reduce((product, axis) => product * axis, 1);
  if (bytes.length !== count * size)
    throw new RangeError(
      `loadArrays: expected ${count * size} bytes for (${shape.join(', ')}) of ${type}, got ${bytes.length}`,
    );
  if (kind === 'u1') return { data: bytes, shape };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = new Float32Array(count);
  for (let i = 0; i < count; ++i) data[i] = read(view, i * size, order !== '>');
  return { data, shape };
}

/** Converts column-major numbers (the first index changes fastest) to row-major ones. */
function rowByRow(data: ArrayLike<number>, shape: readonly number[]): Float32Array {
  let stride = 1;
  const axes = shape.map((size) => ({ size, stride: (stride *= size) / size })).reverse();
  return Float32Array.from({ length: data.length }, (_, i) => {
    let [from, rest] = [0, i];
    for (const { size, stride } of axes) {
      from += (rest % size) * stride;
      rest = Math.floor(rest / size);
    }
    return data[from]!;
  });
}

/** Decodes a float16: sign, 5 bits of exponent, 10 of fraction. */
export function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const special = fraction === 0 ? Infinity : NaN;
  const normal = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  const size = exponent === 31 ? special : normal;
  return bits & 0x8000 ? -size : size;
}
