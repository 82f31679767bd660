import type { Memory } from './memory.js';
import type { Raw } from './raw.js';

/** What an instance can do. */
export interface Features {
  readonly simd: string;
  /** The number in use: 1 from then on where one of them has died. */
  threads: number;
}

/** A loaded module: what operations and layers need of it. */
export interface Wasm {
  readonly features: Features;
  readonly raw: Raw;
  readonly memory: Memory;
  /**
   * The module for one thread, which is loaded beside the one for several. What threads do not share is quicker there: engines copy
   * to and from shared memory at 0.7 times the speed.
   */
  readonly unshared?: Wasm | undefined;
}
