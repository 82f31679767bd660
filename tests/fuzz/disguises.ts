/**
 * The same arguments from a caller whom the library cannot trust: options behind getters, classes and proxies, arrays
 * whose iterator, length or species lie. Whatever can be read only once is counted: a second look throws.
 */
import type { Draw } from './draw.js';

type Properties = Readonly<Record<string, unknown>>;

/** Whether it is an object of options, and neither a tensor nor a list. */
export function isOptions(value: unknown): value is Properties {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !('data' in value)
  );
}

export function disguised(draw: Draw, value: readonly unknown[]): unknown[] {
  return value.map((arg) => disguise(draw, arg));
}

function disguise(draw: Draw, value: unknown): unknown {
  if (value instanceof Float32Array) return draw.pick(FLOATS)(value);
  if (Array.isArray(value)) return draw.pick(LISTS)(value.map((item) => disguise(draw, item)));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return value;
  }
  const entries = Object.entries(value).map(([name, item]) => [name, disguise(draw, item)] as const);
  return draw.pick(OBJECTS)(Object.fromEntries(entries));
}

/** A function that gives a value once. */
function once<T>(what: string, value: T): () => T {
  let read = false;
  return () => {
    if (read) throw new Error(`${what} is read twice`);
    read = true;
    return value;
  };
}

function withGetters(target: object, values: Properties, enumerable: boolean): object {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { get: once(name, value), enumerable });
  }
  return target;
}

const OBJECTS: readonly ((values: Properties) => object)[] = [
  (values) => values,
  (values) => Object.assign(Object.create(null) as object, values),
  (values) => Object.create(values) as object,
  (values) => withGetters({}, values, true),
  (values) => withGetters({}, values, false),
  // As of a class with accessors.
  (values) => {
    const prototype = withGetters({ constructor: Object }, values, false);
    return Object.create(Object.defineProperty(prototype, 'constructor', { enumerable: false })) as object;
  },
  (values) => {
    const reads = new Map(Object.entries(values).map(([name, value]) => [name, once(name, value)]));
    return new Proxy(values, {
      get: (target, name): unknown => reads.get(name as string)?.() ?? Reflect.get(target, name),
    });
  },
];

/** An iterator that knows better. */
function* nothing(): Generator<number> {
  yield NaN;
}

const LISTS: readonly ((list: unknown[]) => unknown[])[] = [
  (list) => list,
  (list) => Object.assign(list, { [Symbol.iterator]: nothing }),
  (list) => {
    let length: number | undefined = list.length;
    return new Proxy(list, {
      get(target, name) {
        if (name !== 'length') return Reflect.get(target, name) as unknown;
        const given = length ?? 0;
        length = undefined;
        return given;
      },
    });
  },
];

class Lying extends Float32Array {
  static get [Symbol.species](): Float32ArrayConstructor {
    return class extends Float32Array {
      constructor() {
        super(1);
      }
    };
  }
  override get length(): number {
    return 1;
  }
  override *[Symbol.iterator](): ArrayIterator<number> {
    yield NaN;
  }
  override subarray(): Float32Array<ArrayBuffer> {
    return new Float32Array(1);
  }
  override slice(): Float32Array<ArrayBuffer> {
    return new Float32Array(1);
  }
}

const FLOATS: readonly ((floats: Float32Array) => Float32Array)[] = [
  (floats) => floats,
  ({ buffer, byteOffset, length }) => new Lying(buffer as ArrayBuffer, byteOffset, length),
  (floats) =>
    Object.defineProperties(floats.slice(), {
      length: { value: 1 },
      constructor: { value: Lying },
      buffer: { value: new ArrayBuffer(4) },
      slice: { value: () => new Float32Array(1) },
      subarray: { value: () => new Float32Array(1) },
    }),
];
