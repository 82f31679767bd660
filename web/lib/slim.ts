/**
 * wasm-attention with the wasm as a separate file beside this one, found by the `new URL(…, import.meta.url)` pattern that
 * bundlers know.
 *
 * @packageDocumentation
 */
import { createLoader } from './load.js';

export type * from './api.js';
export { readSafetensors } from './safetensors/readSafetensors.js';
export { writeSafetensors } from './safetensors/writeSafetensors.js';

/**
 * Compiles and instantiates the module once; later calls return the same promise. A failed load can be retried.
 *
 * @throws Error, caused by the engine's `WebAssembly.CompileError`, that names SIMD where SIMD is missing.
 */
export const load = createLoader(() => new URL('./wasm-attention.wasm', import.meta.url));
