import { wrongKind, wrongValue } from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';

/** A parameter in wasm memory, where an optimizer changes it. */
export interface StoredParameter {
  readonly wasm: Wasm;
  readonly size: number;
  /** Throws if the layer was disposed. */
  check(operation: string): void;
  address(): number;
  /** 0 before the first backward pass. */
  gradient(): number;
  /** Must be called after a change. */
  changed(): void;
}

const stored = new WeakMap<object, StoredParameter>();

/** Remembers where a parameter is stored. */
export function rememberParameter(parameter: object, store: StoredParameter): void {
  stored.set(parameter, store);
}

/** Checks that these are parameters of layers of this module, without duplicates; returns where they are stored. */
export function checkParameters(operation: string, wasm: Wasm, parameters: Iterable<object>): StoredParameter[] {
  const expected = "parameters that a layer's parameters() gave";
  if (typeof parameters !== 'object' || parameters === null || !(Symbol.iterator in parameters)) {
    wrongKind(operation, expected, parameters);
  }
  const stores = Array.from(parameters, (parameter) => {
    const store = stored.get(parameter);
    if (!store || ![wasm, wasm.unshared].includes(store.wasm)) wrongKind(operation, expected, parameter);
    return store;
  });
  for (const store of stores) store.check(operation);
  if (stores.length === 0) wrongValue(operation, expected, 'none');
  // The module for one thread and the one for several may use the same address.
  const places = new Set(stores.map((store) => `${String(store.wasm === wasm)} ${store.address()}`));
  if (places.size < stores.length) {
    wrongValue(operation, 'each parameter once', 'one of them twice');
  }
  return stores;
}
