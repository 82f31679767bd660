/**
 * The JavaScript side of Embind, for numbers and booleans only, since the bindings pass nothing else. It is a tenth the
 * size of Emscripten's, which also supports strings, classes and files.
 */
import { importsOf } from './imports.js';
import type { Features, Raw } from './wasm.js';

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
  const readString = (address: number): string => {
    let result = '';
    for (let code = bytes[address]; code; code = bytes[++address]) result += String.fromCharCode(code);
    return result;
  };

  const { exports } = await WebAssembly.instantiate(
    module,
    importsOf(module, {
      _embind_register_integer(type: number, name: number) {
        if (readString(name).includes('unsigned')) unsigned.add(type);
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
        bindings.push({ name: readString(name), result: (raw.HEAP32 as Int32Array)[types >>> 2]!, call });
      },
      emscripten_notify_memory_growth: () => renewViews(),
      ...given,
    }),
  );
  const memory = given.memory ?? (exports.memory as WebAssembly.Memory);
  const table = exports.__indirect_function_table as WebAssembly.Table;
  renewViews();
  (exports._initialize as () => void)();
  // C++'s shadow stack is empty here. A function that ends in an exception does not unwind it.
  const stackPointer = exports.__stack_pointer as WebAssembly.Global<'i32'>;
  const emptyStack = stackPointer.value;
  raw.restore = () => {
    stackPointer.value = emptyStack;
    renewViews();
  };
  raw.malloc = exports.malloc;
  raw.free = exports.free;
  for (const { name, result, call } of bindings) {
    raw[name] = unsigned.has(result) ? (...args: number[]) => call(...args) >>> 0 : call;
  }
  return raw as unknown as Raw;
}
