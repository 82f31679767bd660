import wasm from '../generated/embedded.js';
import { fromHex } from './hex.js';

/** The wasm for one thread, which is part of the code. */
export const embeddedWasm = (): Uint8Array<ArrayBuffer> => fromHex(wasm);
