/**
 * wasm-attention: attention and positional encodings in SIMD WebAssembly. This entry contains the wasm; `./slim` loads
 * it from a separate file.
 *
 * @example
 * import { load } from 'wasm-attention';
 * const attention = await load();
 * const { output } = attention.scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import { createLoader } from './load.js';
import { LOAD_OPTIONS } from './loadOptions.js';
import { embeddedWasm } from './runtime/embedded.js';
import { threaded } from './runtime/threaded.js';

export type * from './api.js';
export { readSafetensors, writeSafetensors, type ReadOptions } from './safetensors.js';

/**
 * Compiles and instantiates the module once; later calls return the same promise. A failed load can be retried.
 *
 * @throws RangeError in an engine without WebAssembly SIMD; its cause is the engine's `WebAssembly.CompileError`
 */
export const load = createLoader(embeddedWasm, threaded, LOAD_OPTIONS);
