import { gradients, type Gradients } from './gradients.js';
import { layers, type LayerClasses } from './layers.js';
import { operations, type Operations } from './operations.js';
import { loadedModules } from './runtime/cores.js';
import { sequenceOperations, type SequenceOperations } from './sequence.js';
import type { Wasm } from './runtime/wasm.js';

/** The loaded module: operations are functions, layers are classes. */
export interface WasmAttention extends Operations, SequenceOperations, Gradients, LayerClasses {}

/** Binds everything to a loaded module. */
export function surface(wasm: Wasm): WasmAttention {
  const bound = { ...operations(wasm), ...sequenceOperations(wasm), ...gradients(wasm), ...layers(wasm) };
  loadedModules.set(bound, wasm);
  return bound;
}
