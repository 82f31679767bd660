/** The package's version; the build puts it in. */
declare const __VERSION__: string;
/** Whether the package has a wasm for relaxed SIMD; the build puts it in. */
declare const __RELAXED__: boolean;
// What the build writes to generated/, for checks of types before there is any.
declare module '*/generated/embedded.js' {
  const wasm: string;
  export default wasm;
}
declare module '*/generated/embedded-threads.js' {
  const wasm: string;
  export default wasm;
}
declare module '*/generated/limits.js' {
  export const INITIAL_MEMORY: number;
  export const MAXIMUM_MEMORY: number;
  export const STACK_SIZE: number;
}
