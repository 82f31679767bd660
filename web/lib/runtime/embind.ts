/**
 * What the module imports, and the JavaScript side of Embind for numbers and booleans, since the bindings pass nothing
 * else. It is a tenth of Emscripten's own, which also supports strings, classes and files.
 */
import { importsOf } from './imports.js';
import type { Raw } from './raw.js';
import type { Features } from './wasm.js';

/** A bound function. Its result's type may be registered later, because static constructors run in any order. */
interface Binding {
  readonly name: string;
  readonly result: number;
  readonly call: (...args: readonly number[]) => number;
}

/** The features of an instance on one thread. */
export function featuresOf({ relaxed }: Raw): Features {
  return { simd: relaxed ? 'relaxed-simd' : 'simd128', threads: 1 };
}

/**
 * Instantiates the module. The result has its functions by name, malloc and free, and views of the heap, which are
 * renewed when the heap grows.
 *
 * @param given further imports of the module for several threads: the memory, and functions that copy while threads
 *   compute
 */
export async function instantiateCore(
  module: WebAssembly.Module,
  given: { readonly memory?: WebAssembly.Memory } & WebAssembly.ModuleImports = {},
): Promise<Raw> {
  const raw: Record<string, unknown> = {};
  const bindings: Binding[] = [];
  const unsigned = new Set<number>();
  let bytes!: Uint8Array;
  const renewViews = (): void => {
    const { buffer } = memory;
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

  const { exports } = await WebAssembly.instantiate(
    module,
    importsOf(module, {
      _embind_register_integer(type: number, name: number) {
        if (text(name).includes('unsigned')) unsigned.add(type);
      },
      _embind_register_function(
        name: number,
        _count: number,
        types: number,
        _signature: number,
        invoker: number,
        target: number,
      ) {
        const call = (table.get(invoker) as Binding['call']).bind(undefined, target);
        bindings.push({ name: text(name), result: (raw.HEAP32 as Int32Array)[types >>> 2]!, call });
      },
      emscripten_notify_memory_growth: () => renewViews(),
      ...given,
    }),
  );
  const memory = given.memory ?? (exports.memory as WebAssembly.Memory);
  const table = exports.__indirect_function_table as WebAssembly.Table;
  renewViews();
  (exports._initialize as () => void)();
  // The shadow stack, on which C++ has its arrays, is empty here. A function that ends in an exception does not go back.
  const stackPointer = exports.__stack_pointer as WebAssembly.Global<'i32'>;
  const rest = stackPointer.value;
  raw.restore = () => {
    stackPointer.value = rest;
    renewViews();
  };
  raw.malloc = exports.malloc;
  raw.free = exports.free;
  for (const { name, result, call } of bindings) {
    raw[name] = unsigned.has(result) ? (...args: number[]) => call(...args) >>> 0 : call;
  }
  return raw as unknown as Raw;
}
