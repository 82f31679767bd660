/** The package's version; the build puts it in. */
declare const __VERSION__: string;
/** Whether the package has a wasm for relaxed SIMD; the build puts it in. */
declare const __RELAXED__: boolean;
