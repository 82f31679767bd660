/** Loads the library and looks at what it instantiates, which the library itself does not show. */
import { readFileSync } from 'node:fs';
import { load as loadPlain, type WasmAttention } from 'wasm-attention';
import { load as loadSlim } from 'wasm-attention/slim';

/** The threads that every suite is run with; with several, each loop is shared, however small. */
export const THREADS = Number(process.env.THREADS ?? 1);

/** Whether every suite is run with the wasm for relaxed SIMD: `npm run test:relaxed`. */
export const RELAXED = process.env.RELAXED === '1';
/** The entry that every suite is run with: where the engine has relaxed SIMD it is the slim one that uses it. */
export type Loader = typeof loadPlain;
export const load: Loader = RELAXED ? loadSlim : loadPlain;
/** The other one: a second copy of the library. */
export const loadSecond: Loader = RELAXED ? loadPlain : loadSlim;

/** The wasm that every suite is run with, but for several threads. */
export const WASM = readFileSync(
  new URL(`../../dist/wasm-attention${RELAXED ? '-relaxed' : ''}.wasm`, import.meta.url),
);

/** What the linker called imports and exports, from the file of the build that the library reads it from. */
const glueOf = (file: 'core' | 'threads'): string =>
  readFileSync(new URL(`../../build/glue/${file}.js`, import.meta.url), 'utf8');
function exportName(name: string, file: 'core' | 'threads'): string {
  const found = new RegExp(`["']?${name}["']?:\\s*["'](\\w+)["']`).exec(glueOf(file))?.[1];
  if (!found) throw new Error(`expected the name of ${name} in the glue of ${file}, found none`);
  return found;
}

const isMemory = (value: unknown): value is WebAssembly.Memory =>
  Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';
/** The memory that a module for threads is given, by the name under which it asks for it: there is no list of what is given. */
function sharedMemory(imports: WebAssembly.Imports): WebAssembly.Memory | undefined {
  const name = /"(\w+)":"memory"/.exec(glueOf('threads'))?.[1];
  if (!name) throw new Error('expected the name of the memory in the glue of threads, found none');
  return Object.values(imports)
    .map((part) => part[name])
    .find(isMemory);
}

/** An instance on its way to the library. */
export interface Watched {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
  /** What an export is called. */
  readonly name: (role: string) => string;
}

/** Loads; each instance passes through `watch`. */
export async function loadWatching(
  loader: Loader,
  watch: (watched: Watched) => WebAssembly.Instance,
): Promise<WasmAttention> {
  const { instantiate } = WebAssembly;
  const watching = async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(module, imports);
    const shared = sharedMemory(imports);
    const memory = shared ?? Object.values(instance.exports).find(isMemory);
    if (!memory) throw new Error('expected an instance with a memory, got one without');
    const name = (role: string): string => exportName(role, shared ? 'threads' : 'core');
    if (shared) (instance.exports[name('setWorthThreads')] as (work: number) => void)(0);
    return watch({ instance, memory, name });
  };
  WebAssembly.instantiate = watching as typeof instantiate;
  try {
    return await loader({ threads: THREADS });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
