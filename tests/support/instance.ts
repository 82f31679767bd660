/** Loads the library and looks at what it instantiates, which the library itself does not show. */
import { readFileSync } from 'node:fs';
import type { load, WasmAttention } from 'wasm-attention';

/** The threads that every suite is run with; with several, each loop is shared, however small. */
export const THREADS = Number(process.env.THREADS ?? 1);

const GLUE = new URL(`../../build/glue/${THREADS > 1 ? 'threads' : 'core'}.js`, import.meta.url);

/** What the linker called an export, from the file of the build that the library reads it from. */
export function exportName(name: string): string {
  const found = new RegExp(`["']?${name}["']?:\\s*["'](\\w+)["']`).exec(readFileSync(GLUE, 'utf8'))?.[1];
  if (!found) throw new Error(`expected the name of ${name} in ${GLUE.pathname}, found none`);
  return found;
}

const isMemory = (value: unknown): value is WebAssembly.Memory =>
  Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';

/** Loads; the instance passes through `watch` on its way to the library, with the memory it works in. */
export async function loadWatching(
  loader: typeof load,
  watch: (instance: WebAssembly.Instance, memory: WebAssembly.Memory) => WebAssembly.Instance,
): Promise<WasmAttention> {
  const { instantiate } = WebAssembly;
  const watching = async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(module, imports);
    if (THREADS > 1) (instance.exports[exportName('setWorthThreads')] as (work: number) => void)(0);
    const parts = [instance.exports, ...Object.values(imports)].flatMap((part) => Object.values(part));
    const memory = parts.find(isMemory);
    if (!memory) throw new Error('expected an instance with a memory, got one without');
    return watch(instance, memory);
  };
  WebAssembly.instantiate = watching as typeof instantiate;
  try {
    const attention = await loader({ threads: THREADS });
    if (attention.features.threads !== THREADS) throw new Error(`expected ${THREADS} threads`);
    return attention;
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
