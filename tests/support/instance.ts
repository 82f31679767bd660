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

/** The wasm that every suite is run with, but for several threads: of the package, or of the build that sources read. */
export const WASM_FILE = new URL(
  `../../${process.env.DIST ? 'dist' : 'build/wasm'}/wasm-attention${RELAXED ? '-relaxed' : ''}.wasm`,
  import.meta.url,
);
export const WASM = readFileSync(WASM_FILE);

/** An instance on its way to the library. */
export interface Watched {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
}

/** Loads; each instance passes through `watch`. */
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
