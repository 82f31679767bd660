import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import type { RotaryOptions } from './rotary/options.js';
import { rotate } from './rotary/rotate.js';

/** See `WasmAttention.rotaryEmbeddingBackward`. */
export function rotaryEmbeddingBackward(wasm: Wasm, gradOutput: TensorLike, options?: RotaryOptions): Tensor {
  return rotate('rotaryEmbeddingBackward', wasm, 'gradOutput', gradOutput, options);
}
