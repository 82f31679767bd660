import type { RawFunctions } from '../generated/bindings/raw.js';
import type { Heap, Memory } from './memory.js';

/** The loaded module: its functions and its memory. */
export interface Raw extends Heap, RawFunctions {
  /** Only the wasm for relaxed SIMD has this function, which does nothing. */
  readonly relaxed?: () => void;
}

/** The features of an instance. */
export interface Features {
  readonly simd: string;
  /** The number in use; 1 after one of them has died. */
  threads: number;
}

/** A loaded module, as operations and layers use it. */
export interface Wasm {
  readonly features: Features;
  readonly raw: Raw;
  readonly memory: Memory;
  /**
   * The module for one thread, which is loaded together with the one for several. Work that threads do not share is
   * faster there, because engines copy to and from shared memory at 0.7 times the speed.
   */
  readonly unshared?: Wasm | undefined;
}

/** The module behind each object that `load` has returned. */
export const loadedModules = new WeakMap<object, Wasm>();
