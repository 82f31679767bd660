import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import type { RotaryOptions } from './rotary/options.js';
import { rotate } from './rotary/rotate.js';

/** See `WasmAttention.rotaryEmbedding`. */
export function rotaryEmbedding(wasm: Wasm, x: TensorLike, options?: RotaryOptions): Tensor {
  return rotate('rotaryEmbedding', wasm, 'x', x, options);
}
