import type { RawFunctions } from '../generated/bindings/raw.js';
import type { Heap } from './memory.js';

/** The loaded module: its functions and its memory. */
export interface Raw extends Heap, RawFunctions {
  /** Only the wasm for relaxed SIMD has this function, which does nothing. */
  readonly relaxed?: () => void;
}
