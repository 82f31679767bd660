/** Loads the library and looks at what it instantiates, which the library itself does not show. */
import { readFileSync } from 'node:fs';
import type { load, WasmAttention } from 'wasm-attention';

/** The threads that every suite is run with; with several, each loop is shared, however small. */
export const THREADS = Number(process.env.THREADS ?? 1);

/** Whether every suite is run with the wasm for relaxed SIMD: `npm run test:relaxed`. */
export const RELAXED = process.env.RELAXED === '1';
/** The wasm that every suite is run with, but for several threads. */
export const WASM = readFileSync(
  new URL(`../../dist/wasm-attention${RELAXED ? '-relaxed' : ''}.wasm`, import.meta.url),
);

/** What the linker called an export, from the file of the build that the library reads it from. */
function exportName(name: string, file: 'core' | 'threads'): string {
  const glue = new URL(`../../build/glue/${file}.js`, import.meta.url);
  const found = new RegExp(`["']?${name}["']?:\\s*["'](\\w+)["']`).exec(readFileSync(glue, 'utf8'))?.[1];
  if (!found) throw new Error(`expected the name of ${name} in ${glue.pathname}, found none`);
  return found;
}

const isMemory = (value: unknown): value is WebAssembly.Memory =>
  Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';
const memoryOf = (parts: readonly object[]): WebAssembly.Memory | undefined =>
  parts.flatMap((part) => Object.values(part) as unknown[]).find(isMemory);

/** An instance on its way to the library. */
export interface Watched {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
  /** What an export is called. */
  readonly name: (role: string) => string;
}

/** Loads; each instance passes through `watch`. */
export async function loadWatching(
  loader: typeof load,
  watch: (watched: Watched) => WebAssembly.Instance,
): Promise<WasmAttention> {
  const { instantiate } = WebAssembly;
  const watching = async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(module, imports);
    // A module for threads is given its memory.
    const shared = memoryOf(Object.values(imports));
    const memory = shared ?? memoryOf([instance.exports]);
    if (!memory) throw new Error('expected an instance with a memory, got one without');
    const name = (role: string): string => exportName(role, shared ? 'threads' : 'core');
    if (shared) (instance.exports[name('setWorthThreads')] as (work: number) => void)(0);
    return watch({ instance, memory, name });
  };
  WebAssembly.instantiate = watching as typeof instantiate;
  try {
    return await loader({ threads: THREADS, ...(RELAXED && { wasm: WASM }) });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
