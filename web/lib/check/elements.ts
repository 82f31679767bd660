/** The forms in which callers may pass an array: data with a shape or dims, nested arrays, a typed array. */
import { fresh } from '../runtime/memory.js';
import { kindOf, showShape, sizeOf, wrongKind, wrongValue } from './values.js';

/** Arrays must have fewer elements than this; wasm cannot address more floats anyway. */
const MAX_COUNT = 2 ** 31;
/** Far above any operation's rank; an array that contains itself has infinitely many axes. */
const MAX_RANK = 64;
const FEW = 16;
/** Elements that are not numbers take so much memory that more of them could end the process. */
const MAX_OTHERS = 2 ** 24;
/** The same for arrays within an array. */
const MAX_ROWS = 2 ** 22;

/** Throws for an array of more elements than can be collected, before they are. */
export function checkRows(operation: string, name: string, { length, 0: first }: ArrayLike<unknown>): void {
  if (typeof first === 'number') return;
  const isRows = typeof first === 'object' || first === undefined;
  const most = isRows ? MAX_ROWS : MAX_OTHERS;
  if (length > most) wrongValue(operation, `${name} of at most ${most} ${isRows ? 'rows' : 'elements'}`, length);
}

/**
 * The length of an array, or of anything with a whole-number length and no `data` (what TypeScript calls an ArrayLike);
 * undefined for anything else.
 */
export function countOf(value: unknown): number | undefined {
  const kind = kindOf(value);
  if (kind !== undefined) return kind.startsWith('Big') ? undefined : (value as ArrayLike<unknown>).length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  if (!Array.isArray(value) && 'data' in value) return undefined;
  const { length } = value as { length?: unknown };
  return Number.isInteger(length) && (length as number) >= 0 && (length as number) < MAX_COUNT
    ? (length as number)
    : undefined;
}

function isArray(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || kindOf(value) !== undefined;
}

/** A copy of a short list, such as a shape; undefined if it is not an array. */
export function listOf(value: unknown): unknown[] | undefined {
  const count = isArray(value) ? countOf(value) : undefined;
  if (count === undefined || count > MAX_RANK) return undefined;
  // A loop, because every call reads shapes and Array.from with a function takes ten times as long.
  const list: unknown[] = [];
  for (let i = 0; i < count; ++i) list.push((value as ArrayLike<unknown>)[i]);
  return list;
}

function toShape(operation: string, name: string, shape: unknown): readonly number[] {
  const axes = listOf(shape) as readonly number[] | undefined;
  if (!axes) wrongKind(operation, `${name}.shape to be an array of whole numbers`, shape);
  let count = 1;
  for (const axis of axes) {
    if (typeof axis !== 'number') wrongKind(operation, `${name}.shape to be an array of whole numbers`, axis);
  }
  for (const axis of axes) {
    if (!Number.isInteger(axis) || axis < 0) {
      wrongValue(operation, `${name}.shape to hold whole numbers of at least 0`, showShape(axes));
    }
    // An axis of 0 must not hide the sizes of other axes, because loops run over them.
    count *= Math.max(axis, 1);
  }
  if (count >= MAX_COUNT) {
    wrongValue(operation, `${name}.shape of axes with a product below 2^31`, showShape(axes));
  }
  return axes;
}

export interface Elements {
  readonly data: ArrayLike<unknown>;
  /** The number of elements. */
  readonly count: number;
  readonly shape: readonly number[];
  /** Whether any of them come from a typed array of floating-point numbers. */
  readonly floats: boolean;
  /** Whether any of them come from a Uint16Array within nested arrays. */
  readonly halves?: boolean;
}

/** Turns any accepted form into data with a shape; a typed array has one axis. */
export function toElements(operation: string, name: string, value: unknown): Elements {
  if (Array.isArray(value)) return flatten(operation, name, value);
  const axis = countOf(value);
  if (axis !== undefined) {
    return { data: value as ArrayLike<unknown>, count: axis, shape: [axis], floats: isFloats(value) };
  }
  if (typeof value !== 'object' || value === null || !('data' in value)) {
    wrongKind(operation, `${name} to be a tensor ({ data, shape }) or nested arrays`, value);
  }
  const { data } = value;
  const count = countOf(data);
  if (count === undefined) wrongKind(operation, `${name}.data to be an array of numbers`, data);
  const given = 'shape' in value ? value.shape : 'dims' in value ? value.dims : undefined;
  const shape = toShape(operation, name, given);
  if (count !== sizeOf(shape)) {
    const expected = `${name} of shape ${showShape(shape)} to hold ${sizeOf(shape)} elements`;
    wrongValue(operation, expected, count);
  }
  return { data: data as ArrayLike<unknown>, count, shape, floats: isFloats(data) };
}

function isFloats(value: unknown): boolean {
  return kindOf(value)?.startsWith('Float') ?? false;
}

/** The elements of nested arrays. The first array at each depth sets the length of the others. */
function flatten(operation: string, name: string, nested: readonly unknown[]): Elements {
  const shape: number[] = [];
  let floats = false;
  let halves = false;
  /** The number of axes; 0 before the first number or empty array. */
  let rank = 0;
  // Allocated at once: the same array may occur many times, so a few can hold billions of elements.
  let numbers: Float64Array | undefined;
  let at = 0;
  /** Used instead if some elements are not numbers, or there are so few that an array is faster. */
  let others: unknown[] | undefined;
  const put = (element: unknown, depth: number): void => {
    if (!numbers && !others) {
      const size = sizeOf(shape);
      if (size > FEW) numbers = fresh(operation, Float64Array, size);
      else others = [];
    }
    rank ||= depth;
    if (depth !== rank) wrongValue(operation, `${name} to be nested to one depth (${rank})`, element);
    if (typeof element !== 'number' && !others) {
      const size = sizeOf(shape);
      if (size > MAX_OTHERS) wrongValue(operation, `${name} of numbers, or at most ${MAX_OTHERS} elements`, size);
      others = Array.from(numbers!.subarray(0, at));
    }
    if (others) others.push(element);
    else numbers![at++] = element as number;
  };
  const visit = (level: unknown, depth: number): void => {
    const count = depth > 0 && depth === rank ? undefined : countOf(level);
    if (count === undefined) wrongKind(operation, `${name} to hold numbers`, level);
    if (depth === MAX_RANK) {
      wrongValue(operation, `${name} to be nested to a depth of at most ${MAX_RANK}`, 'more');
    }
    floats ||= isFloats(level);
    halves ||= kindOf(level) === 'Uint16Array';
    shape[depth] ??= count;
    if (count !== shape[depth]) {
      wrongValue(operation, `${name} to hold ${shape[depth]} elements along axis ${depth}`, count);
    }
    if (count === 0) rank = depth + 1;
    for (let i = 0; i < count; ++i) {
      const element = (level as ArrayLike<unknown>)[i];
      if (typeof element !== 'number' && isArray(element)) visit(element, depth + 1);
      else put(element, depth + 1);
    }
  };
  visit(nested, 0);
  const data = others ?? numbers ?? [];
  return { data, count: data.length, shape, floats, halves };
}
