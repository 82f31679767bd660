import { gradients, type Gradients } from './gradients.js';
import { layers, type LayerClasses } from './layers.js';
import { operations, type Operations } from './operations.js';
import { cores } from './runtime/cores.js';
import { tools } from './check/tools.js';
import { sequenceOperations, type SequenceOperations } from './sequence.js';
import type { Wasm } from './runtime/wasm.js';

/** The loaded module: operations are functions, layers are classes. */
export interface WasmAttention extends Operations, SequenceOperations, Gradients, LayerClasses {}

/** Binds everything to a loaded module. */
export function surface(wasm: Wasm): WasmAttention {
  const bound = { ...operations(wasm), ...sequenceOperations(wasm), ...gradients(wasm), ...layers(wasm) };
  cores.set(bound, { wasm, tools });
  return bound;
}
