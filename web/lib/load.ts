/** Shared by the entries that load the module. */
import { checkOptions, type Known } from './check/options.js';
import { checkBoolean, checkInteger } from './check/values.js';
import type { SlimLoadOptions } from './loadOptions.js';
import { compile, instantiate, type WasmSource } from './runtime/compile.js';
import type { instantiateThreads } from './runtime/threads.js';
import type { Wasm } from './runtime/wasm.js';
import { bind, type WasmAttention } from './wasmAttention.js';

const OPERATION = 'load';
const MAX_THREADS = 64;

/** What several threads need: the code that starts them, and the address of their wasm. */
interface Threaded {
  readonly instantiateThreads: typeof instantiateThreads;
  readonly wasm: URL;
}

/**
 * Makes an entry's `load`, which compiles and instantiates the module once. Later calls return the same promise until
 * one asks for a fresh instance; after a failure, the next call tries again.
 *
 * @param packaged the package's wasm for one thread, or its address
 * @param threaded for several threads
 * @param known the entry's options
 */
export function createLoader<Options extends SlimLoadOptions>(
  packaged: () => WasmSource | Promise<URL>,
  threaded: () => Threaded | Promise<Threaded>,
  known: Known<Options>,
): (options?: Options) => Promise<WasmAttention> {
  let loaded: Promise<WasmAttention> | undefined;
  const start = async (wasm: WasmSource | undefined, threads: number): Promise<Wasm> => {
    const loadSingle = async (): Promise<Wasm> => instantiate(wasm ?? (await packaged()));
    if (threads > 1) {
      try {
        if (wasm !== undefined) throw new Error('a wasm for one thread');
        const { instantiateThreads, wasm: address } = await threaded();
        return await instantiateThreads(threads, loadSingle, () => compile(address));
      } catch (error) {
        // oxlint-disable-next-line no-console -- the call succeeds, but with fewer threads than requested
        console.warn(`load: expected ${threads} threads, got 1: ${(error as Error).message}`);
      }
    }
    return loadSingle();
  };
  const begin = (options?: Options): Promise<WasmAttention> => {
    const { wasm, threads = 1, layers = true, fresh = false } = checkOptions(OPERATION, options, known);
    checkInteger(OPERATION, 'threads', threads, 1, MAX_THREADS);
    checkBoolean(OPERATION, 'layers', layers);
    if (checkBoolean(OPERATION, 'fresh', fresh)) loaded = undefined;
    loaded ??= start(wasm, threads).then(bind, (error: unknown) => {
      if (loaded === loading) loaded = undefined;
      throw error;
    });
    const loading = loaded;
    return loading;
  };
  return (options) => {
    try {
      return begin(options);
    } catch (error) {
      const mistake = error as Error;
      return Promise.reject(mistake);
    }
  };
}
