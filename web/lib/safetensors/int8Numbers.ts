/** Rounds matrices to int8 and widens them, without the wasm. */
import { sizeOf } from '../check/values.js';
import { readFloats, type FileEntry } from './file.js';
import { COLUMNS, scalesShape } from './int8.js';

/** The largest whole number, as in cpp/kernels/int8_product.h. */
const MOST = 63;

export function fromInt8({ bytes, shape }: FileEntry, scales: FileEntry): Float32Array {
  const factors = readFloats(scales);
  const numbers = new Float32Array(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  eachScale(shape, (from, to, at) => {
    for (let i = from; i < to; ++i) numbers[i]! *= factors[at]!;
  });
  return numbers;
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
