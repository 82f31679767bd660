/** Checks of array arguments: tensors, masks, lengths, positions, and arrays for results. */
import type { MaskLike, Tensor, TensorLike, ValidLens } from '../types.js';
import { isTypedArray, toElements } from './elements.js';
import { checkFinite, showShape, tagOf, wrongKind, wrongValue } from './values.js';

function isFloat32Array(value: unknown): value is Float32Array {
  return value instanceof Float32Array || tagOf(value) === 'Float32Array';
}

/** The argument as float32 data with a shape. Float32Arrays are passed on, not copied. */
export function toTensor(operation: string, name: string, value: TensorLike): Tensor {
  const { data, shape } = toElements(operation, name, value);
  // Without elements there is nothing to copy, and copying a detached array would throw.
  if (data.length === 0) return { data: new Float32Array(0), shape };
  if (isFloat32Array(data)) return { data, shape };
  if (!isTypedArray(data)) {
    for (let i = 0; i < data.length; ++i) {
      if (typeof data[i] !== 'number') wrongKind(operation, `${name} to hold numbers`, data[i]);
    }
  }
  return { data: Float32Array.from(data as ArrayLike<number>), shape };
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
  const { data, shape } = toElements(operation, name, value);
  const bytes = new Uint8Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const element = data[i];
    if (element !== true && element !== false && element !== 0 && element !== 1) {
      const wrong = typeof element === 'number' ? wrongValue : wrongKind;
      wrong(operation, `${name} to hold booleans or 0 and 1`, element);
    }
    bytes[i] = Number(element);
  }
  return { data: bytes, shape };
}

/** Whole numbers of at least `min` as int32 with a shape. Numbers above `max` become `max`. */
export function toInt32(
  operation: string,
  name: string,
  value: ValidLens,
  min = -(2 ** 31),
  max = 2 ** 31 - 1,
): Tensor<Int32Array> {
  const { data, shape } = toElements(operation, name, value);
  const ints = new Int32Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const element = data[i];
    if (typeof element !== 'number') wrongKind(operation, `${name} to hold whole numbers`, element);
    if (!Number.isInteger(element) || element < min) {
      const bound = min === -(2 ** 31) ? '' : ` of at least ${min}`;
      wrongValue(operation, `${name} to hold whole numbers${bound}`, element);
    }
    ints[i] = Math.min(element, max);
  }
  return { data: ints, shape };
}

/** Finite numbers as float64 with a shape. For positions, which float32 would round from 2^24 on. */
export function toFloat64(
  operation: string,
  name: string,
  value: ArrayLike<number> | TensorLike,
): { readonly data: Float64Array; readonly shape: readonly number[] } {
  const { data, shape } = toElements(operation, name, value);
  const numbers = new Float64Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const element = data[i];
    // Making the name takes longer than the check.
    numbers[i] = Number.isFinite(element)
      ? (element as number)
      : checkFinite(operation, `${name}[${i}]`, element);
  }
  return { data: numbers, shape };
}

/** d2l's valid lengths, (B,) or (B, L), clamped to S. */
export function toValidLens(
  operation: string,
  value: ValidLens,
  batch: number,
  queries: number,
  keys: number,
): Tensor<Int32Array> {
  const lens = toInt32(operation, 'validLens', value, 0, keys);
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
  if (tagOf(value) !== 'Float32Array') {
    wrongKind(operation, `${name} to be a Float32Array`, value);
  }
  if (value.length !== length) wrongValue(operation, `${name} of length ${length}`, value.length);
  return value;
}
