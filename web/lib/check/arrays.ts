/** Checks of array arguments: tensors, masks, lengths, positions, and arrays for results. */
import { widen } from '../runtime/halves.js';
import { fresh } from '../runtime/memory.js';
import type { FloatArray, MaskLike, Tensor, TensorLike, ValidLens } from '../types.js';
import { countOf, toElements, type Elements } from './elements.js';
import { checkFinite, checkShape, kindOf, showShape, wrongKind, wrongUse, wrongValue } from './values.js';

/** A fresh array of the elements, with their shape. */
function convert<T extends Float32Array | Float64Array | Int32Array | Uint8Array>(
  operation: string,
  { data, count, shape }: Elements,
  Type: { new (count: number): T; readonly BYTES_PER_ELEMENT: number },
  toNumber: (element: unknown, i: number) => number,
): { data: T; shape: readonly number[] } {
  // Checked before anything is allocated, since an array-like may have a length but no elements.
  const first = count > 0 ? toNumber(data[0], 0) : 0;
  const numbers = fresh(operation, Type, count);
  numbers[0] = first;
  for (let i = 1; i < count; ++i) numbers[i] = toNumber(data[i], i);
  return { data: numbers, shape };
}

/**
 * The argument as float32 data with a shape. A Float32Array is passed on, not copied. A Uint16Array holds the bits of
 * float16, as in other libraries.
 */
export function toTensor(operation: string, name: string, value: TensorLike): Tensor {
  return toFloats(operation, name, toElements(operation, name, value));
}

/** `toTensor` for elements. */
export function toFloats(operation: string, name: string, elements: Elements): Tensor {
  const { data, shape, count, halves } = elements;
  const kind = kindOf(data);
  // A detached array is empty, and cannot be copied.
  if (kind === 'Float32Array') return { data: count > 0 ? (data as Float32Array) : new Float32Array(0), shape };
  if (kind === 'Uint16Array') {
    return { data: widen(data as Uint16Array, fresh(operation, Float32Array, count)), shape };
  }
  if (halves) wrongUse(operation, `${name} in float16 to be { data, shape }`, 'nested arrays');
  const toNumber = (element: unknown): number =>
    typeof element === 'number' ? element : wrongKind(operation, `${name} to hold numbers`, element);
  return convert(operation, elements, Float32Array, toNumber);
}

/** `toTensor` with one of the given ranks. */
export function toTensorOfRank(
  operation: string,
  name: string,
  value: TensorLike,
  ...ranks: readonly number[]
): Tensor {
  const tensor = toTensor(operation, name, value);
  if (!ranks.includes(tensor.shape.length)) {
    const expected = ranks.join(', ').replace(/, (\d)$/, ' or $1');
    wrongValue(operation, `${name} of rank ${expected}`, `shape ${showShape(tensor.shape)}`);
  }
  return tensor;
}

/** `toTensor` with this shape, as in `checkShape`. */
export function toTensorOfShape(
  operation: string,
  name: string,
  value: TensorLike,
  shape: readonly (number | string)[],
): Tensor {
  const tensor = toTensor(operation, name, value);
  checkShape(operation, name, tensor.shape, shape);
  return tensor;
}

/** The argument as bytes 0 and 1 with a shape. */
export function toMask(operation: string, name: string, value: MaskLike): Tensor<Uint8Array> {
  const elements = toElements(operation, name, value);
  const expected = `${name} to hold booleans or 0 and 1 (numbers to add are a bias)`;
  // Other libraries add float masks to the scores, so their zeros mask nothing.
  if (elements.floats) wrongKind(operation, expected, elements.data);
  const toByte = (element: unknown): number => {
    if (element !== true && element !== false && element !== 0 && element !== 1) {
      const wrong = typeof element === 'number' ? wrongValue : wrongKind;
      wrong(operation, expected, element);
    }
    return Number(element);
  };
  return convert(operation, elements, Uint8Array, toByte);
}

/** Whole numbers from `min` to `max` as int32 with a shape. If `clamps`, numbers above `max` become `max`. */
export function toInt32(
  operation: string,
  name: string,
  value: ValidLens,
  min: number,
  max: number,
  clamps = false,
): Tensor<Int32Array> {
  const toInt = (element: unknown): number => {
    if (typeof element !== 'number') wrongKind(operation, `${name} to hold whole numbers`, element);
    if (!Number.isInteger(element) || element < min || (element > max && !clamps)) {
      const bound = clamps ? `of at least ${min}` : `within [${min}, ${max}]`;
      wrongValue(operation, `${name} to hold whole numbers ${bound}`, element);
    }
    return Math.min(element, max);
  };
  return convert(operation, toElements(operation, name, value), Int32Array, toInt);
}

/** Finite numbers as float64 with a shape, for positions, which float32 would round from 2^24 on. */
export function toFloat64(
  operation: string,
  name: string,
  value: ArrayLike<number> | TensorLike,
): { readonly data: Float64Array; readonly shape: readonly number[] } {
  const toNumber = (element: unknown, i: number): number =>
    // Building the name takes longer than the check.
    Number.isFinite(element) ? (element as number) : checkFinite(operation, `${name}[${i}]`, element);
  return convert(operation, toElements(operation, name, value), Float64Array, toNumber);
}

/** d2l's valid lengths, (B,) or (B, L), clamped to S. */
export function toValidLens(
  operation: string,
  value: ValidLens,
  batch: number,
  queries: number,
  keys: number,
): Tensor<Int32Array> {
  const lens = toInt32(operation, 'validLens', value, 0, keys, true);
  checkShape(operation, 'validLens', lens.shape, [batch], [batch, queries]);
  return lens;
}

/** One length for each row of (B, H, L), from lengths (B,) or (B, L). */
export function rowLens(
  operation: string,
  { data, shape }: Tensor<Int32Array>,
  heads: number,
  queries: number,
): Int32Array {
  const perQuery = shape.length === 2;
  const rows = fresh(operation, Int32Array, shape[0]! * heads * queries);
  for (let row = 0, b = 0; row < rows.length; ++b) {
    for (let h = 0; h < heads; ++h) {
      for (let q = 0; q < queries; ++q) rows[row++] = data[perQuery ? b * queries + q : b]!;
    }
  }
  return rows;
}

/** Checks an array for a result, which must have exactly the right length. */
export function checkOut(
  operation: string,
  name: string,
  value: FloatArray | undefined,
  length: number,
): Float32Array | undefined {
  if (value === undefined) return undefined;
  const kind = kindOf(value);
  // No regular expression: V8 aborts the process if the stack overflows while it compiles one.
  if (kind !== 'Float32Array' && kind !== 'Float16Array' && kind !== 'Uint16Array') {
    wrongKind(operation, `${name} to be a Float32Array, Float16Array or Uint16Array`, value);
  }
  if (countOf(value) !== length) wrongValue(operation, `${name} of length ${length}`, countOf(value));
  return value as Float32Array;
}
