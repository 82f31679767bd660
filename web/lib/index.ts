/**
 * wasm-attention: attention and positional encodings in SIMD WebAssembly. This entry carries the wasm inside; `./slim` is
 * the same with the wasm as a file of its own.
 *
 * @example
 * import { load } from 'wasm-attention';
 * const attention = await load();
 * const { output } = attention.scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import wasm from '../../build/glue/embedded.js';
import { createLoader } from './load.js';

export type * from './api.js';
export { readSafetensors } from './safetensors/readSafetensors.js';
export { writeSafetensors } from './safetensors/writeSafetensors.js';

/**
 * Compiles and instantiates the module once; later calls return the same promise. A failed load can be retried.
 *
 * @throws Error, caused by the engine's `WebAssembly.CompileError`, that names SIMD where SIMD is missing.
 */
export const load = createLoader(() => decode(wasm));

/** The bytes of base64. Engines that can do it themselves take a tenth of the time, as does Node; the loop takes 3 ms. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, base64);
  // By its full name, so that no bundler puts a Buffer of its own in.
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (Buffer) return Buffer.from(base64, 'base64');
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
