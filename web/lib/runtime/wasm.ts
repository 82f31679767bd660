import type { Memory } from './memory.js';
import type { Raw } from './raw.js';

/** The features of an instance. */
export interface Features {
  readonly simd: string;
  /** The number in use. It becomes 1 if one of them dies. */
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
