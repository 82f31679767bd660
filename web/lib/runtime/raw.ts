import type { RawFunctions } from '../generated/bindings/raw.js';
import type { Heap } from './memory.js';

/** The loaded module: its functions and its memory. */
export interface Raw extends Heap, RawFunctions {
  /** The mark of the wasm for relaxed SIMD: it does nothing. */
  readonly relaxed?: () => void;
}
