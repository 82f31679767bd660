/** Bytes of typed arrays and buffers that a run may make, most of which it drops at once, and of what it may keep. */
const MOST = { made: 2 ** 32, kept: 2 ** 30 };
/** Plain arrays of fewer elements are charged where they are kept, not where they are made: most are gone at once. */
const SMALL = 1024;
/** What an object on the heap takes, roughly, in bytes. */
const OBJECT = 64;
/** And a number or reference in an array. */
const ELEMENT = 8;

const VIEWS =
  `Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
  Float64Array BigInt64Array BigUint64Array`.split(/\s+/);

type Scope = Record<string, unknown>;
type Constructor = (new (...parameters: unknown[]) => object) & { readonly BYTES_PER_ELEMENT?: number };
type Method = (this: unknown, ...parameters: unknown[]) => unknown;

/**
 * Bounds the memory that code of this realm can take: beyond 4 GB of typed arrays that it makes, or about 1 GB of what
 * lists, maps and sets hold, it gets a `RangeError`. Without that a loop could fill the computer's memory well before
 * its time is over, and some engines let a worker whose heap is full take its page along. What the collector has freed
 * counts no longer, but the engine tells so only between tasks. It is an estimate, against mistakes, and no wall
 * against malice.
 */
export function limitMemory(scope: Scope): void {
  const taken = { made: 0, kept: 0 };
  const freed = new FinalizationRegistry<number>((bytes) => (taken.made -= bytes));
  const charge = (kind: keyof typeof taken, bytes: number): void => {
    if (taken[kind] + bytes > MOST[kind]) {
      throw new RangeError(`expected at most ${MOST[kind] / 2 ** 30} GB of memory in one run, got more`);
    }
    taken[kind] += bytes;
  };
  for (const name of ['ArrayBuffer', ...VIEWS]) {
    const original = scope[name] as Constructor | undefined;
    if (original === undefined) continue;
    const wrapped = new Proxy(original, {
      construct(target, parameters: unknown[], newTarget) {
        const bytes = bytesOf(original, parameters[0]);
        charge('made', bytes);
        const made = Reflect.construct(target, parameters, newTarget) as object;
        if (bytes > 0) freed.register('buffer' in made ? (made.buffer as object) : made, bytes);
        return made;
      },
    });
    // `slice` and `map` make their results with it.
    Reflect.defineProperty(original.prototype as object, 'constructor', { value: wrapped });
    scope[name] = wrapped;
  }
  wrapPlainArray(scope, (length) => charge('kept', length * ELEMENT));
  const kept = (values: readonly unknown[]): void => {
    for (const value of values) charge('kept', sizeOf(value));
  };
  watch(Array.prototype, 'push', kept);
  watch(Array.prototype, 'unshift', kept);
  watch(Map.prototype, 'set', kept);
  watch(Set.prototype, 'add', kept);
}

/**
 * Bytes of what a constructor would make of its first parameter: a buffer's is its bytes; a view over a buffer costs
 * nothing.
 */
function bytesOf({ BYTES_PER_ELEMENT }: Constructor, first: unknown): number {
  const length = BYTES_PER_ELEMENT === undefined || typeof first === 'number' ? first : lengthOf(first);
  return Math.max(0, Number(length) || 0) * (BYTES_PER_ELEMENT ?? 1);
}

/**
 * `new Array(n)`, `Array(n)` and `Array.from`. The prototype keeps its constructor: without, engines make slow work of
 * `map`.
 */
function wrapPlainArray(scope: Scope, charge: (length: number) => void): void {
  const wrapped: ArrayConstructor = new Proxy(Array, {
    apply: (_target, _receiver, parameters: unknown[]) => Reflect.construct(wrapped, parameters) as unknown,
    construct(target, parameters: unknown[], newTarget) {
      const [length] = parameters;
      if (typeof length === 'number' && length >= SMALL && length < 2 ** 32) charge(length);
      return Reflect.construct(target, parameters, newTarget) as object;
    },
  });
  scope.Array = wrapped;
}

function watch(prototype: object, name: string, kept: (values: readonly unknown[]) => void): void {
  const original = Reflect.get(prototype, name) as Method;
  const value = {
    [name](this: unknown, ...values: unknown[]): unknown {
      kept(values);
      return Reflect.apply(original, this, values);
    },
  }[name];
  Reflect.defineProperty(prototype, name, { value, writable: true, configurable: true });
}

/** Roughly, what it takes to hold a value. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return ELEMENT + value.length;
  if (typeof value !== 'object' || value === null) return ELEMENT;
  if (ArrayBuffer.isView(value)) return OBJECT + value.byteLength;
  return OBJECT + (Array.isArray(value) ? value.length * ELEMENT : 0);
}

function lengthOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'length' in value ? value.length : 0;
}
