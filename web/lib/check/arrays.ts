/** Checks of arrays: tensors, masks, lengths and positions, in all forms that callers may give them. */
import { checkFinite, showShape, sizeOf, tagOf, wrongKind, wrongValue } from './values.js';
import type { MaskLike, Tensor, TensorLike, ValidLens } from '../types.js';

/** Elements are counted in 32 bits: beyond what wasm can address. */
const MAX_COUNT = 2 ** 31;

type NumberArray = ArrayLike<number> & { readonly length: number };

function isTypedArray(value: unknown): value is NumberArray {
  if (!ArrayBuffer.isView(value)) return false;
  return !/^(DataView|Big)/.test(tagOf(value));
}

/** Anything with a whole-number length and no `data`: what TypeScript calls an ArrayLike. */
export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  if (Array.isArray(value) || isTypedArray(value)) return true;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || 'data' in value)
    return false;
  const { length } = value as { length?: unknown };
  return Number.isInteger(length) && (length as number) >= 0 && (length as number) < MAX_COUNT;
}

function isFloat32Array(value: unknown): value is Float32Array {
  return value instanceof Float32Array || tagOf(value) === 'Float32Array';
}

function checkShape(operation: string, name: string, shape: unknown): readonly number[] {
  if (!Array.isArray(shape) && !isTypedArray(shape)) {
    wrongKind(operation, `${name}.shape to be an array of whole numbers`, shape);
  }
  // Of a detached array this is empty, where Array.from would throw an error that is not ours.
  const axes = Array.prototype.slice.call(shape) as number[];
  let count = 1;
  for (const axis of axes) {
    if (typeof axis !== 'number') wrongKind(operation, `${name}.shape to be an array of whole numbers`, axis);
  }
  for (const axis of axes) {
    if (!Number.isInteger(axis) || axis < 0) {
      wrongValue(operation, `${name}.shape to hold whole numbers of at least 0`, showShape(axes));
    }
    // An empty axis hides the others from the length of the data, not from the loops over them.
    count *= Math.max(axis, 1);
  }
  if (count >= MAX_COUNT) {
    wrongValue(operation, `${name}.shape with axes of a product below 2^31, 0 left out`, showShape(axes));
  }
  return axes;
}

interface Elements {
  readonly data: ArrayLike<unknown>;
  readonly shape: readonly number[];
}

/** Brings the accepted forms (data with shape or dims, nested arrays, a typed array as one axis) into one. */
function toElements(operation: string, name: string, value: unknown): Elements {
  if (Array.isArray(value)) return flatten(operation, name, value);
  if (isArrayLike(value)) return { data: value, shape: [value.length] };
  if (typeof value !== 'object' || value === null || !('data' in value)) {
    wrongKind(operation, `${name} to be a tensor ({ data, shape }) or nested arrays`, value);
  }
  const { data } = value;
  if (!isArrayLike(data)) {
    wrongKind(operation, `${name}.data to be an array of numbers`, data);
  }
  const given = 'shape' in value ? value.shape : 'dims' in value ? value.dims : undefined;
  const shape = checkShape(operation, name, given);
  if (data.length !== sizeOf(shape)) {
    const expected = `${name} of shape ${showShape(shape)} to hold ${sizeOf(shape)} elements`;
    wrongValue(operation, expected, data.length);
  }
  return { data, shape };
}

function flatten(operation: string, name: string, nested: readonly unknown[]): Elements {
  const shape: number[] = [];
  for (let level: unknown = nested; Array.isArray(level) || isTypedArray(level); level = level[0]) {
    shape.push(level.length);
    if (level.length === 0) break;
  }
  if (shape.length === 1) return { data: nested, shape };
  const data: unknown[] = [];
  const visit = (level: unknown, depth: number): void => {
    if (depth === shape.length) {
      data.push(level);
      return;
    }
    if (!Array.isArray(level) && !isTypedArray(level)) {
      wrongValue(operation, `${name} to be nested to one depth (${shape.length})`, level);
    }
    if (level.length !== shape[depth]) {
      wrongValue(operation, `${name} to hold ${shape[depth]} elements along axis ${depth}`, level.length);
    }
    for (let i = 0; i < level.length; ++i) visit((level as ArrayLike<unknown>)[i], depth + 1);
  };
  visit(nested, 0);
  return { data, shape };
}

/** The argument as float32 data with a shape. Float32Arrays are passed on, not copied. */
export function toTensor(operation: string, name: string, value: TensorLike): Tensor {
  const { data, shape } = toElements(operation, name, value);
  // Nothing is copied of nothing, nor could anything be of a detached array.
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

/** `toTensor` of exactly this shape; a string stands for an axis of any size and names it in the message. */
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

/** Whole numbers, `min` at least, as int32 with a shape; above `max` means `max`. */
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

/** Finite numbers as float64 with a shape: positions, which float32 would round from 2^24 on. */
export function toFloat64(
  operation: string,
  name: string,
  value: ArrayLike<number> | TensorLike,
): { readonly data: Float64Array; readonly shape: readonly number[] } {
  const { data, shape } = toElements(operation, name, value);
  const numbers = new Float64Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const element = data[i];
    // The name costs more than the check.
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
