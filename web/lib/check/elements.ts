/** The forms in which callers may give an array: data with a shape or dims, nested arrays, a typed array. */
import { freshDoubles } from '../runtime/memory.js';
import { showShape, sizeOf, tagOf, wrongKind, wrongValue } from './values.js';

/** An array needs fewer elements than this; wasm cannot address more floats anyway. */
const MAX_COUNT = 2 ** 31;
/** Axes of nested arrays. */
const MAX_DEPTH = 64;

export function isTypedArray(value: unknown): value is ArrayLike<number> {
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

function checkShape(operation: string, name: string, shape: unknown): readonly number[] {
  if (!Array.isArray(shape) && !isTypedArray(shape)) {
    wrongKind(operation, `${name}.shape to be an array of whole numbers`, shape);
  }
  // Not Array.from, which would throw for a detached array.
  const axes = Array.prototype.slice.call(shape) as number[];
  let count = 1;
  for (const axis of axes) {
    if (typeof axis !== 'number') wrongKind(operation, `${name}.shape to be an array of whole numbers`, axis);
  }
  for (const axis of axes) {
    if (!Number.isInteger(axis) || axis < 0) {
      wrongValue(operation, `${name}.shape to hold whole numbers of at least 0`, showShape(axes));
    }
    // An axis of 0 must not hide the sizes of other axes, because loops run over these.
    count *= Math.max(axis, 1);
  }
  if (count >= MAX_COUNT) {
    wrongValue(operation, `${name}.shape with axes of a product below 2^31, 0 left out`, showShape(axes));
  }
  return axes;
}

export interface Elements {
  readonly data: ArrayLike<unknown>;
  readonly shape: readonly number[];
}

/** Turns any accepted form (data with shape or dims, nested arrays, a typed array as one axis) into data with a shape. */
export function toElements(operation: string, name: string, value: unknown): Elements {
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
    // An array that contains itself has no end.
    if (shape.length === MAX_DEPTH) {
      wrongValue(operation, `${name} to be nested to a depth of at most ${MAX_DEPTH}`, 'more');
    }
    shape.push(level.length);
    if (level.length === 0) break;
  }
  if (shape.length === 1) return { data: nested, shape };
  // One array may stand in many places, so that a few of them hold billions of elements.
  const numbers = freshDoubles(operation, sizeOf(shape));
  let at = 0;
  // Masks may hold booleans; which other values are mistakes, the caller says.
  let others: unknown[] | undefined;
  const visit = (level: unknown, depth: number): void => {
    if (depth === shape.length) {
      if (typeof level !== 'number') others ??= Array.from(numbers.subarray(0, at));
      if (others) others.push(level);
      else numbers[at++] = level as number;
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
  return { data: others ?? numbers, shape };
}
