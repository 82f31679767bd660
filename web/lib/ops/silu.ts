import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { mapElements } from './activation/mapElements.js';

/** See `WasmAttention.silu`. */
export function silu({ raw, memory }: Wasm, x: TensorLike): Tensor {
  return mapElements('silu', memory, x, (from, to, count) => raw.silu(from, to, count));
}
