// The files that scripts/build.sh makes of Emscripten's output.

declare module '*/build/glue/core.js' {
  /** What the wasm imports and web/lib/embind.ts does, by the short names that the linker has given. */
  export const imports: Readonly<Record<string, string>>;
  /** What the wasm exports are called. */
  export const exports: Readonly<Record<'memory' | 'table' | 'constructors' | 'malloc' | 'free', string>>;
}

declare module '*/build/glue/threads.js' {
  export const imports: Readonly<Record<string, string>>;
  export const exports: Readonly<
    Record<
      | 'table'
      | 'constructors'
      | 'malloc'
      | 'free'
      | 'stackRestore'
      | 'serveThread'
      | 'reportDeath'
      | 'setWorthThreads',
      string
    >
  >;
}

declare module '*/build/glue/embedded.js' {
  /** The wasm in base64. */
  const wasm: string;
  export default wasm;
}

declare module '*/build/glue/embedded-threads.js' {
  const wasm: string;
  export default wasm;
}

/** The package's version; the build puts it in. */
declare const __VERSION__: string;
/** Whether the package has a wasm for relaxed SIMD; the build puts it in. */
declare const __RELAXED__: boolean;
