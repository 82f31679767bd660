// The two files that scripts/build.sh makes of Emscripten's output.

declare module '*/build/glue/core.js' {
  import type { Raw } from './raw.js';

  /** Emscripten's factory; `instantiateWasm` hands it the instance. */
  const createCore: (options: {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): object;
  }) => Promise<Raw>;
  export default createCore;
}

declare module '*/build/glue/embedded.js' {
  /** The wasm in base64. */
  const wasm: string;
  export default wasm;
}

/** The package's version; the build puts it in. */
declare const __VERSION__: string;
