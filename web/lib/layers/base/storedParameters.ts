import type { Wasm } from '../../runtime/wasm.js';
import type { Parameter } from './parameters.js';

/** Where a parameter stands, for what changes it in place: an optimizer. */
export interface StoredParameter {
  readonly wasm: Wasm;
  readonly size: number;
  /** Throws where the layer was disposed. */
  check(operation: string): void;
  address(): number;
  /** 0 where no backward pass has been made. */
  gradient(): number;
  /** To be called after a change. */
  changed(): void;
}

const stored = new WeakMap<Parameter, StoredParameter>();

/** Keeps a parameter's store with it. */
export function rememberParameter(parameter: Parameter, store: StoredParameter): void {
  stored.set(parameter, store);
}

/** The store of a parameter that a layer's `parameters()` gave; undefined for anything else. */
export function storedParameter(parameter: Parameter): StoredParameter | undefined {
  return stored.get(parameter);
}
