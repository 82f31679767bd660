/**
 * The messages between the page's thread and the worker. Structured cloning copies data. Values that it cannot copy
 * (handles, functions, symbols) are removed from the body and listed with their paths beside it, so no data can be
 * mistaken for them.
 */

import { checkRows, countOf } from '../check/elements.js';
import { ownNames } from '../check/options.js';
import { kindOf, tagOf, wrongUse } from '../check/values.js';
import type { Bytes, Want } from '../models/weights/remote.js';

/** Stands for something that cannot be cloned. */
export type Token =
  /** An object in the worker for which the page has a handle. */
  | { readonly kind: 'reference'; readonly id: number }
  /** An object in the worker for which the page gets a handle. */
  | ({ readonly kind: 'handle' } & Description)
  /** An argument that no operation accepts. It is sent so that the operation reports the mistake. */
  | { readonly kind: 'function' | 'symbol'; readonly text: string };

/** Describes an object in the worker to its handle. */
export interface Description {
  readonly id: number;
  /** [''] for a function. */
  readonly methods: readonly string[];
  readonly classes: readonly string[];
  readonly values: readonly string[];
}

/** A value in a form that can be cloned. */
export interface Packed {
  readonly body: unknown;
  readonly tokens: readonly (readonly [path: readonly (string | number)[], token: Token])[];
}

/** A request to the worker. */
export interface Request {
  readonly action: 'load' | 'call' | 'construct' | 'get' | 'assign' | 'release' | 'open' | 'generate';
  /** The object's number; 0 is the loaded module. */
  readonly id: number;
  readonly name: string;
  readonly args: Packed;
}

/**
 * Tells the worker how many tokens of a generation the caller has taken, and that it takes no more. The worker ends the
 * generation if it is running, and cuts the caller's cache to these tokens.
 */
export interface Leave {
  /** The generation's number. */
  readonly leave: number;
  readonly taken: number;
}

/** Posted by the worker while it opens a model: it waits for bytes of a file. */
export interface Wanted {
  readonly want: Want;
}

/** The page's answer to what the worker wants. */
export interface Brought {
  readonly bytes: Bytes;
}

/** Posted by the worker while a request is running: the bytes read so far, or tokens, of each prompt of a list. */
export interface Part {
  readonly part: readonly (number | number[])[];
}

/** The worker's answer: a result, or the error that was thrown. */
export type Answer =
  | { readonly result: Packed; readonly error?: undefined }
  | { readonly error: { readonly name: string; readonly message: string }; readonly result?: undefined };

/** Deeper than any argument, and far from filling the stack. */
const DEEPEST = 200;

const CLONED = new Set([
  'ArrayBuffer',
  'Blob',
  'File',
  'SharedArrayBuffer',
  'WebAssembly.Module',
  'Date',
  'RegExp',
  'DataView',
]);

/**
 * Copies the structure around the data, without values that cannot be cloned; the data itself is shared. An object that
 * occurs twice is copied once. Adds the array buffers of the data to `buffers`.
 *
 * @param tokenOf the token of an object that is not data
 * @param label the name in the message for arguments that are nested too deeply
 * @param whole whether a view of part of a buffer keeps the whole buffer; otherwise that part is copied, because
 *   cloning would copy all of the buffer
 */
export function pack(
  value: unknown,
  tokenOf: (value: object) => Token | undefined,
  buffers: Set<ArrayBuffer>,
  whole = false,
  label = 'worker',
): Packed {
  const tokens: [readonly (string | number)[], Token][] = [];
  const copies = new Map<object, unknown>();

  const walk = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === 'symbol') {
      tokens.push([path, { kind: 'symbol', text: value.description ?? '' }]);
      return undefined;
    }
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    if (path.length > DEEPEST) wrongUse(label, `arguments of at most ${DEEPEST} levels`, 'a deeper one');
    const token =
      tokenOf(value) ??
      (typeof value === 'function' ? ({ kind: 'function', text: String(value) } as const) : undefined);
    if (token) {
      tokens.push([path, token]);
      return undefined;
    }
    if (copies.has(value)) return copies.get(value);
    if (kindOf(value) !== undefined) return walkTypedArray(value as Float32Array);
    if (CLONED.has(tagOf(value))) return value;
    const count = countOf(value) ?? 0;
    // An option may be called length, too.
    if (Array.isArray(value) || (count > 0 && '0' in value)) {
      return walkArray(value as ArrayLike<unknown>, count, path);
    }
    if (Symbol.iterator in value) {
      const elements = Array.from(value as Iterable<unknown>);
      // A set or map of data is cloned unchanged; any other iterable becomes a list.
      const clones = ['Set', 'Map'].includes(tagOf(value)) && !elements.some((element) => Object(element) === element);
      return clones ? value : walkArray(elements, elements.length, path);
    }
    // Without a prototype, so that a property called __proto__ is one like any other.
    const copy = Object.create(null) as Record<string, unknown>;
    copies.set(value, copy);
    // Other accessors of other libraries' tensors may be costly or throw.
    const isTensor = 'data' in value && ('shape' in value || 'dims' in value);
    const add = (name: string) => void (copy[name] = walk((value as Record<string, unknown>)[name], [...path, name]));
    if (isTensor) ['data', 'shape', 'dims'].filter((name) => name in value).forEach(add);
    else ownNames(label, value).forEach(add);
    return copy;
  };
  const walkTypedArray = (value: Float32Array): unknown => {
    const Type = globalThis[kindOf(value) as 'Float32Array'];
    // A detached one is empty, and cannot be cloned.
    let copy = value.length === 0 ? new Type(0) : value;
    if (!whole && copy.byteLength < copy.buffer.byteLength) copy = new Type(copy);
    copies.set(value, copy);
    // A shared buffer stays shared. The tag also works for buffers of other realms.
    if (tagOf(copy.buffer) === 'ArrayBuffer') buffers.add(copy.buffer as ArrayBuffer);
    return copy;
  };
  const walkArray = (value: ArrayLike<unknown>, count: number, path: readonly (string | number)[]): unknown => {
    checkRows(label, 'arguments', value);
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (let i = 0; i < count; ++i) {
      const element = value[i];
      copy.push(typeof element === 'number' ? element : walk(element, [...path, i]));
    }
    return copy;
  };
  return { body: walk(value, []), tokens };
}

/** The value, with each token replaced by the result of `make`. */
export function unpack({ body, tokens }: Packed, make: (token: Token) => unknown): unknown {
  const root = { body };
  for (const [path, token] of tokens) {
    let parent: Record<string | number, unknown> = root;
    let name: string | number = 'body';
    for (const next of path) {
      parent = parent[name] as Record<string | number, unknown>;
      name = next;
    }
    parent[name] = make(token);
  }
  return root.body;
}

/** Why the request of a generation that was left before it began is rejected. */
export const NEVER_BEGAN = new Error('left before it began');

const ERRORS = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError } as const;

/** An error of the same class and with the same message as the one that was thrown in the worker. */
export function thrown({ name, message }: { name: string; message: string }): Error {
  const Class = Object.hasOwn(ERRORS, name) ? ERRORS[name as keyof typeof ERRORS] : Error;
  const error = new Class(message);
  if (error.name !== name) error.name = name;
  return error;
}
