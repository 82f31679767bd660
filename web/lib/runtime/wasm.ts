import type { Memory } from './memory.js';
import type { Raw } from './raw.js';

/** What an operation needs of the loaded module. */
export interface Wasm {
  readonly raw: Raw;
  readonly memory: Memory;
  /**
   * The module once more, beside one on several threads: what no threads share is quicker there, since engines copy to and from shared
   * memory at 0.7 times the speed.
   */
  readonly unshared?: Wasm | undefined;
}
