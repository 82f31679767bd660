/**
 * What Embind needs from JavaScript, for numbers and booleans, which are all that the bindings pass: a tenth of Emscripten's
 * own, which also knows strings, classes and files.
 */
import type { Operations } from '../operations.js';
import type { Raw } from './raw.js';

/** As linked (CMakeLists.txt): 4 GB, without the last page, and at least this much at a time. */
const MAXIMUM = 2 ** 32 - 2 ** 16;
const STEP = 2 ** 20;
const PAGE = 2 ** 16;

/** A bound function, before the types of all results are known: constructors of static objects run in no certain order. */
interface Binding {
  readonly name: string;
  readonly result: number;
  readonly call: (...args: readonly number[]) => number;
}

/** What the linker has called those of the module's imports that do something, and its exports by their names. */
export interface Names {
  readonly imports: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<'table' | 'constructors' | 'malloc' | 'free', string> & { readonly memory?: string }
  >;
}

/** What an instance on one thread can do. */
export function featuresOf({ relaxed }: Raw): Operations['features'] {
  return { simd: relaxed ? 'relaxed-simd' : 'simd128', threads: 1 };
}

/** What a module imports, by what it calls that; nothing is done by what has no role. */
export function importsBy(
  names: Readonly<Record<string, string>>,
  roles: Readonly<Record<string, unknown>>,
): WebAssembly.ModuleImports {
  const get = (_target: object, name: string): unknown => roles[names[name]!] ?? (() => undefined);
  return new Proxy({}, { get });
}

/**
 * Instantiates the module: its functions by their names, malloc and free, and views of the heap, renewed when it grows.
 *
 * @param given what a module for threads imports besides: the memory, and a clock
 */
export async function instantiateCore(
  module: WebAssembly.Module,
  { imports, exports }: Names,
  given: { readonly memory?: WebAssembly.Memory } & Readonly<Record<string, unknown>> = {},
): Promise<Raw> {
  const raw: Record<string, unknown> = {};
  const bindings: Binding[] = [];
  const unsigned = new Set<number>();
  let bytes!: Uint8Array;
  const look = ({ buffer }: WebAssembly.Memory): void => {
    raw.HEAPU8 = bytes = new Uint8Array(buffer);
    raw.HEAP32 = new Int32Array(buffer);
    raw.HEAPF32 = new Float32Array(buffer);
    raw.HEAPF64 = new Float64Array(buffer);
  };
  const text = (address: number): string => {
    let result = '';
    for (let code = bytes[address]; code; code = bytes[++address]) result += String.fromCharCode(code);
    return result;
  };
  const grow = (requested: number): boolean => {
    const size = requested >>> 0;
    // Where there is not as much as would be handy, there may be as much as is needed.
    for (const step of [STEP, STEP / 2, STEP / 4]) {
      const wanted = Math.min(MAXIMUM, Math.ceil(Math.max(size, bytes.length + step) / PAGE) * PAGE);
      try {
        if (size <= wanted) {
          memory.grow((wanted - bytes.length) / PAGE);
          look(memory);
          return true;
        }
      } catch {
        // The next step is smaller.
      }
    }
    return false;
  };

  const roles: Record<string, (...args: number[]) => unknown> = {
    integer(type, name) {
      if (text(name).includes('unsigned')) unsigned.add(type);
    },
    function(name, _count, types, _signature, invoker, target) {
      const call = (table.get(invoker) as Binding['call']).bind(undefined, target);
      bindings.push({ name: text(name), result: (raw.HEAP32 as Int32Array)[types >>> 2]!, call });
    },
    memcpy_big: (to, from, count) => void bytes.copyWithin(to >>> 0, from >>> 0, (from >>> 0) + count),
    resize_heap: (size) => grow(size),
  };
  const instance = await WebAssembly.instantiate(module, {
    a: importsBy(imports, { ...roles, ...given }),
  });
  const part = (role: keyof typeof exports): never => instance.exports[exports[role]!] as never;
  const memory: WebAssembly.Memory = given.memory ?? part('memory');
  const table: WebAssembly.Table = part('table');
  look(memory);
  (part('constructors') as () => void)();
  raw._malloc = part('malloc');
  raw._free = part('free');
  for (const { name, result, call } of bindings) {
    raw[name] = unsigned.has(result) ? (...args: number[]) => call(...args) >>> 0 : call;
  }
  return raw as unknown as Raw;
}
