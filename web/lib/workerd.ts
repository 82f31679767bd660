/**
 * wasm-attention and its slim entry for Cloudflare's isolates (the condition `workerd` in `exports`), where bytes cannot
 * be compiled: the wasm is imported as a module.
 */
import wasm from '../../build/wasm/wasm-attention.wasm';
import { createLoader } from './load.js';
import { SLIM_LOAD_OPTIONS } from './loadOptions.js';

export { readSafetensors, writeSafetensors } from './safetensors.js';

export const load = createLoader(
  () => wasm,
  () => {
    throw new Error('an engine without threads');
  },
  SLIM_LOAD_OPTIONS,
);
