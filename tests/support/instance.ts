/** Loads the library and gives access to the wasm instances that it makes, which the library does not expose. */
import { readFileSync } from 'node:fs';
import { load as loadPlain, type WasmAttention } from 'wasm-attention';
import { load as loadSlim } from 'wasm-attention/slim';

/** How many threads the library under test has. With several, threads share every loop, however small. */
export const THREADS = Number(process.env.THREADS ?? 1);

/** Whether the library under test uses relaxed SIMD: `npm run test:relaxed`. */
export const RELAXED = process.env.RELAXED === '1';
/** The entry under test. Only the slim one uses relaxed SIMD. */
export type Loader = typeof loadPlain;
export const load: Loader = RELAXED ? loadSlim : loadPlain;
/** The other entry: a second copy of the library. */
export const loadSecond: Loader = RELAXED ? loadPlain : loadSlim;

/** The wasm for one thread that the library under test uses: the package's, or the one built for the sources. */
export const WASM_FILE = new URL(
  `../../${process.env.DIST ? 'dist' : 'build/wasm'}/wasm-attention${RELAXED ? '-relaxed' : ''}.wasm`,
  import.meta.url,
);
export const WASM = readFileSync(WASM_FILE);

/** An instance that the library is about to get. */
export interface Watched {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
}

/** Loads the library. Each wasm instance passes through `watch`, and the library gets what `watch` returns. */
export async function loadWatching(
  loader: Loader,
  watch: (watched: Watched) => WebAssembly.Instance,
): Promise<WasmAttention> {
  const { instantiate } = WebAssembly;
  const watching = async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(module, imports);
    const shared = imports.env?.memory as WebAssembly.Memory | undefined;
    if (shared) (instance.exports.setWorthThreads as (work: number) => void)(0);
    const memory = shared ?? (instance.exports.memory as WebAssembly.Memory);
    return watch({ instance, memory });
  };
  WebAssembly.instantiate = watching as typeof instantiate;
  try {
    return await loader({ threads: THREADS });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
