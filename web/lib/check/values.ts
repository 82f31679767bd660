/**
 * Checks of arguments, made before anything is computed. Wrong arguments throw a `TypeError` (wrong kind) or a
 * `RangeError` (wrong value or shape) with the message `operation: expected …, got …`.
 */
function message(operation: string, expected: string, got: string): string {
  // The caller's names and shapes may have any length.
  return `${operation}: expected ${expected}, got ${got}`.slice(0, 500);
}

/** Throws a TypeError for an argument of the wrong kind. */
export function wrongKind(operation: string, expected: string, got: unknown): never {
  // Quotes distinguish '2' from 2.
  return wrongUse(operation, expected, typeof got === 'string' ? `'${got}'` : describe(got));
}

/** Throws a TypeError for a call that is not possible; `got` is prose. */
export function wrongUse(operation: string, expected: string, got: string): never {
  throw new TypeError(message(operation, expected, got));
}

/** Throws a RangeError for a wrong value or shape. */
export function wrongValue(operation: string, expected: string, got: unknown): never {
  throw new RangeError(message(operation, expected, describe(got)));
}

/** Throws a RangeError for a failure. */
export function failed(operation: string, expected: string, got: string, cause: unknown): never {
  throw new RangeError(message(operation, expected, got), { cause });
}

/** How a value appears in messages. */
function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : value;
  if (value === null || typeof value !== 'object') return String(value);
  return tagOf(value);
}

/**
 * The kind of an object, such as `Float32Array` or `Promise`. Unlike instanceof, it works for objects of other realms
 * (frames).
 */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

const TypedArray = Object.getPrototypeOf(Float32Array.prototype) as object;
const typedArrayTag = Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag);

/** A typed array's type, such as `Float32Array`, whatever its realm; undefined if it is not a typed array. */
export const kindOf = (value: unknown) => typedArrayTag!.get!.call(value) as string | undefined;

/** `(2, 3, 4)`: how shapes appear in messages. */
export function showShape(shape: readonly (number | string)[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
}

/** Throws unless the shape is one of these. A string allows any size for an axis, and names the axis in the message. */
export function checkShape(
  operation: string,
  name: string,
  shape: readonly number[],
  ...allowed: readonly (readonly (number | string)[])[]
): void {
  const fits = (wanted: readonly (number | string)[]): boolean =>
    wanted.length === shape.length && wanted.every((axis, i) => typeof axis === 'string' || axis === shape[i]);
  if (!allowed.some(fits)) {
    const expected = [...new Set(allowed.map(showShape))].join(' or ');
    wrongValue(operation, `${name} of shape ${expected}`, showShape(shape));
  }
}

/** The product of the axes. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const axis of shape) size *= axis;
  return size;
}

/** A whole number within [min, max]. */
export function checkInteger(operation: string, name: string, value: unknown, min: number, max = 2 ** 31 - 1): number {
  if (typeof value !== 'number') wrongKind(operation, `${name} to be a number`, value);
  if (!Number.isInteger(value) || value < min || value > max) {
    const bound = value < min && max === 2 ** 31 - 1 ? `at least ${min}` : `within [${min}, ${max}]`;
    wrongValue(operation, `${name} to be a whole number, ${bound}`, value);
  }
  return value;
}

/** A number that is finite, and above 0 if `positive`, even after rounding to float32. */
export function checkFinite(operation: string, name: string, value: unknown, positive = false): number {
  if (typeof value !== 'number') wrongKind(operation, `${name} to be a number`, value);
  const float = Math.fround(value);
  if (!Number.isFinite(float) || (positive && float <= 0)) {
    wrongValue(operation, `${name} to be a finite float32${positive ? ' above 0' : ''}`, value);
  }
  return value;
}

/** A dropout probability: within [0, 1) even after rounding to float32, so that 1 / (1 - p) is finite. */
export function checkProbability(operation: string, name: string, value: unknown): number {
  if (typeof value !== 'number') wrongKind(operation, `${name} to be a number`, value);
  if (!(value >= 0 && Math.fround(value) < 1)) wrongValue(operation, `${name} to be within [0, 1)`, value);
  return value;
}

export function checkBoolean(operation: string, name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') wrongKind(operation, `${name} to be a boolean`, value);
  return value;
}

/** A seed, a whole number from 0 to 2^32 - 1. */
export function checkSeed(operation: string, name: string, value: unknown): number {
  return checkInteger(operation, name, value, 0, 2 ** 32 - 1);
}

/** A finite number of at least 0. */
export function checkNonNegative(operation: string, name: string, value: unknown): number {
  const number = checkFinite(operation, name, value);
  return number >= 0 ? number : wrongValue(operation, `${name} to be at least 0`, number);
}
