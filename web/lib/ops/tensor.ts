import { toTensor } from '../check/arrays.js';
import type { Tensor, TensorLike } from '../types.js';

const OPERATION = 'tensor';

/** See `WasmAttention.tensor`. */
export function tensor(data: TensorLike | ArrayLike<number>, shape?: readonly number[]): Tensor {
  const given = toTensor(OPERATION, 'data', data as TensorLike);
  const copy = new Float32Array(given.data);
  return toTensor(OPERATION, 'data', { data: copy, shape: shape ?? given.shape });
}
