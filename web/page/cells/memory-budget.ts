/** The most bytes that a run may allocate in typed arrays and buffers, and the most that it may keep. */
const MOST = { made: 2 ** 32, kept: 2 ** 30 };
/** Smaller plain arrays are charged when they are kept, not when they are made: most are short-lived. */
const SMALL = 1024;
/** Approximate bytes of an object on the heap. */
const OBJECT = 64;
/** Bytes of a number or reference in an array. */
const ELEMENT = 8;

const VIEWS =
  `Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
  Float64Array BigInt64Array BigUint64Array`.split(/\s+/);

type Scope = Record<string, unknown>;
type Constructor = (new (...parameters: unknown[]) => object) & { readonly BYTES_PER_ELEMENT?: number };
type Method = (this: unknown, ...parameters: unknown[]) => unknown;

/**
 * Limits the memory that code in this realm can take: beyond 4 GB of allocated typed arrays, or about 1 GB in lists,
 * maps and sets, it gets a `RangeError`. Otherwise a loop could fill the computer's memory well before its time limit,
 * and in some engines a worker with a full heap takes its page down. Garbage-collected memory is no longer counted, but
 * engines report it only between tasks. This is an estimate that protects against mistakes, not against malice.
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
    // `slice` and `map` construct their results with it.
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

/** The bytes that a constructor allocates for its first parameter; a view of an existing buffer costs nothing. */
function bytesOf({ BYTES_PER_ELEMENT }: Constructor, first: unknown): number {
  const length = BYTES_PER_ELEMENT === undefined || typeof first === 'number' ? first : lengthOf(first);
  return Math.max(0, Number(length) || 0) * (BYTES_PER_ELEMENT ?? 1);
}

/**
 * Charges `new Array(n)`, `Array(n)` and `Array.from`. The prototype keeps its constructor, without which `map` is
 * slow.
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

/** Approximate bytes of a value. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return ELEMENT + value.length;
  if (typeof value !== 'object' || value === null) return ELEMENT;
  if (ArrayBuffer.isView(value)) return OBJECT + value.byteLength;
  return OBJECT + (Array.isArray(value) ? value.length * ELEMENT : 0);
}

function lengthOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'length' in value ? value.length : 0;
}
