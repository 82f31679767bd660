/**
 * Matrices in int8, as this library writes them and layers store them: `name` is I8 (rows, columns), and `name.scales`,
 * F32 (rows, ceil(columns / 128)), has the scale of each 128 columns of a row. A number is its scale times a whole
 * number within -63 … 63.
 */
import { sizeOf } from '../check/values.js';
import { readFloats, type FileEntry } from './file.js';

/** The number of columns that share a scale, and the largest whole number, as in cpp/kernels/int8_product.h. */
const COLUMNS = 128;
const MOST = 63;

export const scalesName = (name: string) => `${name}.scales`;

/** The shape of the scales of a matrix. */
export const scalesShape = ([rows, columns]: readonly number[]): readonly [number, number] => [
  rows!,
  Math.ceil(columns! / COLUMNS),
];

export interface JoinedEntry extends FileEntry {
  readonly scales?: FileEntry;
}

/** Joins each matrix and its scales into one tensor. */
export function joinScales(entries: readonly FileEntry[]): JoinedEntry[] {
  const found = new Map<string, JoinedEntry>(entries.map((entry) => [entry.name, entry]));
  for (const entry of entries) {
    const { name, dtype, shape, bytes } = entry;
    const scales = found.get(scalesName(name));
    if (dtype !== 'I8' || shape.length !== 2 || scales?.dtype !== 'F32') continue;
    if (String(scales.shape) !== String(scalesShape(shape))) continue;
    const read = (begin: number, limit: number): Float32Array => {
      const columns = shape[1]!;
      const end = Math.min(limit, sizeOf(shape));
      const [first, last] = [begin / columns, end / columns];
      const factors = readFloats(scales, first * scales.shape[1]!, last * scales.shape[1]!);
      const numbers = new Float32Array(new Int8Array(bytes.buffer, bytes.byteOffset + begin, end - begin));
      eachScale([last - first, columns], (from, to, at) => {
        for (let i = from; i < to; ++i) numbers[i]! *= factors[at]!;
      });
      return numbers;
    };
    found.set(name, { ...entry, scales, read });
    found.delete(scales.name);
  }
  return [...found.values()];
}

/** Rounds a matrix with the operations of float32 that C++ uses. */
export function toInt8(data: Float32Array, shape: readonly number[]): { numbers: Int8Array; scales: Float32Array } {
  const numbers = new Int8Array(data.length);
  const scales = new Float32Array(sizeOf(scalesShape(shape)));
  eachScale(shape, (from, to, at) => {
    let magnitude = 0;
    let zero = 0;
    for (let i = from; i < to; ++i) {
      magnitude = Math.max(magnitude, Math.abs(data[i]!));
      zero += data[i]! * 0;
    }
    const inverse = Math.fround(MOST / magnitude);
    // An infinite or NaN number makes all of them NaN. If all are tiny, they become zeros.
    scales[at] = zero !== 0 ? NaN : inverse < Infinity ? magnitude / MOST : 0;
    if (!scales[at]) return;
    for (let i = from; i < to; ++i) {
      // Numbers from 2^52 on have no fraction, so adding 1.5·2^52 rounds to nearest, ties to even, for both signs.
      numbers[i] = Math.fround(data[i]! * inverse) + 1.5 * 2 ** 52 - 1.5 * 2 ** 52;
    }
  });
  return { numbers, scales };
}

/** Calls a function for the elements that share a scale, with the scale's number. */
function eachScale([rows, columns]: readonly number[], run: (from: number, to: number, at: number) => void): void {
  for (let row = 0, at = 0; row < rows!; ++row) {
    for (let column = 0; column < columns!; column += COLUMNS) {
      const from = row * columns! + column;
      run(from, from + Math.min(COLUMNS, columns! - column), at++);
    }
  }
}
