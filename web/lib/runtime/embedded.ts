import wasm from '../generated/embedded.js';
import { fromHex } from './hex.js';

/** The wasm for one thread, which the code carries. */
export const embeddedWasm = (): Uint8Array<ArrayBuffer> => fromHex(wasm);
