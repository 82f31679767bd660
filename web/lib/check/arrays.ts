/** Checks of array arguments: tensors, masks, lengths, positions, and arrays for results. */
import { fresh } from '../runtime/memory.js';
import type { MaskLike, Tensor, TensorLike, ValidLens } from '../types.js';
import { bare, countOf, kindOf, toElements, type Elements } from './elements.js';
import { checkFinite, showShape, sizeOf, wrongKind, wrongUse, wrongValue } from './values.js';

/** A fresh array of the elements, each read once. */
function convert<T extends Float32Array | Float64Array | Int32Array | Uint8Array>(
  operation: string,
  { data, count }: Elements,
  Type: { new (count: number): T; readonly BYTES_PER_ELEMENT: number },
  toNumber: (element: unknown, i: number) => number,
): T {
  // The first one before there is room for all, since an array-like may have a length and no elements.
  const first = count > 0 ? toNumber(data[0], 0) : 0;
  const numbers = fresh(operation, Type, count);
  numbers[0] = first;
  for (let i = 1; i < count; ++i) numbers[i] = toNumber(data[i], i);
  return numbers;
}

/** The argument as float32 data with a shape. The memory of a Float32Array is passed on, not copied. */
export function toTensor(operation: string, name: string, value: TensorLike): Tensor {
  return toFloats(operation, name, toElements(operation, name, value));
}

/** `toTensor` of elements. */
export function toFloats(operation: string, name: string, elements: Elements): Tensor {
  const { data, shape } = elements;
  if (kindOf(data) === 'Float32Array') return { data: bare(data as Float32Array), shape };
  const toNumber = (element: unknown): number =>
    typeof element === 'number' ? element : wrongKind(operation, `${name} to hold numbers`, element);
  return { data: convert(operation, elements, Float32Array, toNumber), shape };
}

/** `2, 3 or 4` */
function listOr(items: readonly unknown[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${String(items.at(-1))}`;
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
    wrongValue(operation, `${name} of rank ${listOr(ranks)}`, `shape ${showShape(tensor.shape)}`);
  }
  return tensor;
}

/** Throws if a tensor's array has shrunk since it was checked: reading another argument may have run code of the caller's. */
export function checkWhole(operation: string, name: string, { data, shape }: Tensor): void {
  if (data.length !== sizeOf(shape))
    wrongUse(operation, `${name} to keep its elements`, `${data.length} left`);
}

/** `toTensor` with exactly this shape. A string allows any size for an axis, and names the axis in the message. */
export function toTensorOfShape(
  operation: string,
  name: string,
  value: TensorLike,
  shape: readonly (number | string)[],
): Tensor {
  const tensor = toTensor(operation, name, value);
  const fits =
    tensor.shape.length === shape.length &&
    shape.every((axis, i) => typeof axis === 'string' || axis === tensor.shape[i]);
  if (!fits) wrongValue(operation, `${name} of shape ${showShape(shape)}`, showShape(tensor.shape));
  return tensor;
}

/** The argument as bytes 0 and 1 with a shape. */
export function toMask(operation: string, name: string, value: MaskLike): Tensor<Uint8Array> {
  const elements = toElements(operation, name, value);
  const expected = `${name} to hold booleans or 0 and 1 (numbers to add are a bias)`;
  // In other libraries a float mask is added: its zeros hide nothing.
  if (elements.floats) wrongKind(operation, expected, elements.data);
  const toByte = (element: unknown): number => {
    if (element !== true && element !== false && element !== 0 && element !== 1) {
      const wrong = typeof element === 'number' ? wrongValue : wrongKind;
      wrong(operation, expected, element);
    }
    return Number(element);
  };
  return { data: convert(operation, elements, Uint8Array, toByte), shape: elements.shape };
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
  const elements = toElements(operation, name, value);
  const toInt = (element: unknown): number => {
    if (typeof element !== 'number') wrongKind(operation, `${name} to hold whole numbers`, element);
    if (!Number.isInteger(element) || element < min || (element > max && !clamps)) {
      const bound = clamps ? `of at least ${min}` : `within [${min}, ${max}]`;
      wrongValue(operation, `${name} to hold whole numbers ${bound}`, element);
    }
    return Math.min(element, max);
  };
  return { data: convert(operation, elements, Int32Array, toInt), shape: elements.shape };
}

/** Finite numbers as float64 with a shape. For positions, which float32 would round from 2^24 on. */
export function toFloat64(
  operation: string,
  name: string,
  value: ArrayLike<number> | TensorLike,
): { readonly data: Float64Array; readonly shape: readonly number[] } {
  const elements = toElements(operation, name, value);
  const toNumber = (element: unknown, i: number): number =>
    // Making the name takes longer than the check.
    Number.isFinite(element) ? (element as number) : checkFinite(operation, `${name}[${i}]`, element);
  return { data: convert(operation, elements, Float64Array, toNumber), shape: elements.shape };
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
  const [rows, columns] = lens.shape;
  const fits =
    (lens.shape.length === 1 && rows === batch) ||
    (lens.shape.length === 2 && rows === batch && columns === queries);
  if (!fits) {
    const expected = `validLens of shape (${batch},) or (${batch}, ${queries})`;
    wrongValue(operation, expected, showShape(lens.shape));
  }
  return lens;
}

/** Checks an array for a result: it needs exactly the right length. */
export function checkOut(
  operation: string,
  name: string,
  value: Float32Array | undefined,
  length: number,
): Float32Array | undefined {
  if (value === undefined) return undefined;
  if (kindOf(value) !== 'Float32Array') {
    wrongKind(operation, `${name} to be a Float32Array`, value);
  }
  if (countOf(value) !== length) wrongValue(operation, `${name} of length ${length}`, countOf(value));
  return value;
}
