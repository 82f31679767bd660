/** The package's version; set by the build. */
declare const __VERSION__: string;
/** Whether the package has a wasm for relaxed SIMD; set by the build. */
declare const __RELAXED__: boolean;
