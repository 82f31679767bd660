import type { Wasm } from '../../runtime/wasm.js';

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

const stored = new WeakMap<object, StoredParameter>();

/** Keeps a parameter's store with it. */
export function rememberParameter(parameter: object, store: StoredParameter): void {
  stored.set(parameter, store);
}

/** The store of a parameter that a layer's `parameters()` gave; undefined for anything else. */
export function storedParameter(parameter: object): StoredParameter | undefined {
  return stored.get(parameter);
}
