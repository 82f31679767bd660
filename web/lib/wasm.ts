import type { Memory } from './memory.js';
import type { Raw } from './raw.js';

/** What an operation needs of the loaded module. */
export interface Wasm {
  readonly raw: Raw;
  readonly memory: Memory;
}
