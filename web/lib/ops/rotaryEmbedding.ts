import { rotate } from '../rotate.js';
import type { RotaryOptions } from '../rotary.js';
import type { Tensor, TensorLike } from '../types.js';
import type { Wasm } from '../wasm.js';

/** See `WasmAttention.rotaryEmbedding`. */
export function rotaryEmbedding(wasm: Wasm, x: TensorLike, options?: RotaryOptions): Tensor {
  return rotate('rotaryEmbedding', wasm, 'x', x, options);
}
