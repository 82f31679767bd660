import type { Operations } from '../operations.js';
import type { Wasm } from './wasm.js';

/** A module whose functions can be called; `features` are kept up to date. */
export interface Instance {
  readonly wasm: Wasm;
  readonly features: Operations['features'];
}
