import type { Bytes, Shaped } from '../../package-types.js';
import { isNpy, readNpy, readNumbers } from './npy.js';

const MAX_AXES = 4;

/** Whether this is a whole array, so that a list of them is a list of arrays. */
export function isWhole(value: unknown): value is Shaped | Bytes | ArrayBuffer | ArrayBufferView {
  return bytesOf(value) !== undefined || isShaped(value);
}

/**
 * The numbers of an array in any form. A Float32Array is not copied.
 *
 * @param what the argument's name, for messages
 * @throws TypeError for anything but an array of numbers, RangeError for invalid bytes
 */
export function toShaped(what: string, value: unknown): Shaped {
  const bytes = bytesOf(value);
  if (bytes !== undefined) {
    if (!isNpy(bytes)) throw new RangeError(`loadArrays: expected ${what} without a shape to be .npy bytes`);
    return readNpy(bytes);
  }
  if (!isShaped(value)) return ofLists(what, value);
  const { data, shape } = value as Bytes;
  // As in the library, and in onnxruntime-web.
  const halves = Object.prototype.toString.call(data) === '[object Uint16Array]';
  const dtype = (value as Partial<Bytes>).dtype ?? (halves ? 'float16' : undefined);
  if (!shape.every((size) => Number.isInteger(size) && size >= 0))
    throw new RangeError(`loadArrays: expected ${what} of a shape of whole numbers, got (${shape.join(', ')})`);
  if (dtype === undefined) {
    if (!('length' in data))
      throw new TypeError(
        `loadArrays: expected ${what}.dtype, as ${what}.data is bytes: uint8, float16, float32 or float64`,
      );
    return { data: data as unknown as ArrayLike<number>, shape };
  }
  if (typeof dtype !== 'string') throw new TypeError(`loadArrays: expected ${what}.dtype to be a string`);
  const numbers = ArrayBuffer.isView(data) ? viewOf(data) : bytesOf(data);
  if (numbers === undefined) throw new TypeError(`loadArrays: expected ${what}.data with a dtype to be bytes`);
  return readNumbers(numbers, dtype, shape);
}

/**
 * A view of an ArrayBuffer, a DataView or a Uint8Array; undefined for anything else. Does not use `instanceof`: a
 * notebook's bytes may come from another frame.
 */
function bytesOf(value: unknown): Uint8Array | undefined {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (/^(Shared)?ArrayBuffer$/.test(kind)) return new Uint8Array(value as ArrayBuffer);
  return /^(DataView|Uint8Array)$/.test(kind) ? viewOf(value as DataView) : undefined;
}

function viewOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function isShaped(value: unknown): value is Shaped | Bytes {
  const { data, shape, dtype } = (value ?? {}) as Partial<Bytes>;
  if (!Array.isArray(shape) || typeof data !== 'object' || data === null) return false;
  const { length } = data as { length?: unknown };
  return dtype !== undefined || typeof length === 'number' || bytesOf(data) !== undefined;
}

/** The numbers of nested lists, with the shape of their lengths. */
function ofLists(what: string, lists: unknown): Shaped {
  const isList = (value: unknown): value is ArrayLike<unknown> =>
    Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
  const shape: number[] = [];
  let level: readonly unknown[] = [lists];
  while (level.every(isList)) {
    const [first] = level as unknown as [ArrayLike<unknown>];
    if (shape.length === MAX_AXES || first.length === 0) break;
    if (level.some((list) => list.length !== first.length))
      throw new RangeError('loadArrays: expected lists of one length at each level');
    shape.push(first.length);
    // Copying each list would take seconds for a million of them. What holes leave out is missed by the caller's count.
    level = level.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : Array.from(list)));
  }
  if (shape.length === 0 || !level.every((value) => typeof value === 'number'))
    throw new TypeError(`loadArrays: expected ${what} as { data, shape }, .npy bytes, or lists of numbers`);
  return { data: level, shape };
}

/** Checks that there is a string for each row or column. */
export function checkWords(
  what: string,
  words: readonly string[] | undefined,
  count: number,
): readonly string[] | undefined {
  if (words === undefined) return undefined;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new TypeError(`loadArrays: expected ${what} to be a list of strings`);
  if (words.length !== count) throw new RangeError(`loadArrays: expected ${count} ${what}, got ${words.length}`);
  return words;
}
