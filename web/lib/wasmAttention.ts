import { layers, type LayerClasses } from './layers.js';
import { operations, type Operations } from './operations.js';
import { loadedModules, type Wasm } from './runtime/wasm.js';

/** The loaded module: operations are functions, layers are classes. */
export interface WasmAttention extends Operations, LayerClasses {}

/** What users get for a loaded module. */
export function bind(wasm: Wasm): WasmAttention {
  const bound = { ...operations(wasm), ...layers(wasm) };
  loadedModules.set(bound, wasm);
  return bound;
}
