/** Keys and values of earlier calls: the options `pastKey` and `pastValue`. */
import { toTensor } from '../../check/arrays.js';
import { checkShape, wrongValue } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions, Tensor, TensorLike } from '../../types.js';

export interface PastTensors {
  readonly length: number;
  readonly key: Tensor;
  readonly value: Tensor;
}

/** The sizes against which both options are checked. `batch` and `kvHeads` are 1 if a tensor has no axis for them. */
export interface PastSizes {
  /** The rank of the query. The past has the same rank, or the full rank of 4. */
  readonly rank: number;
  readonly batch: number;
  readonly kvHeads: number;
  readonly width: number;
  readonly valueWidth: number;
  /** The number of this call's keys. */
  readonly fresh: number;
}

/** Checks the two options against these sizes; returns undefined if neither is given. */
export function checkPast(
  operation: string,
  { pastKey, pastValue }: AttentionOptions,
  { rank, batch, kvHeads, width, valueWidth, fresh }: PastSizes,
): PastTensors | undefined {
  if (pastKey == null && pastValue == null) return undefined;
  if (pastKey == null || pastValue == null) {
    const alone = pastKey == null ? 'pastValue alone' : 'pastKey alone';
    wrongValue(operation, 'pastKey and pastValue together', alone);
  }
  const check = (name: string, given: TensorLike, rows: number | string, columns: number): Tensor => {
    const tensor = toTensor(operation, name, given);
    const full = [batch, kvHeads, rows, columns];
    const like = rank === 4 ? full : [batch, rows, columns].slice(-rank);
    checkShape(operation, name, tensor.shape, full, like);
    return tensor;
  };
  const key = check('pastKey', pastKey, 'past', width);
  const length = key.shape.at(-2)!;
  if (length + fresh >= 2 ** 31) wrongValue(operation, 'fewer than 2^31 keys', length + fresh);
  return { length, key, value: check('pastValue', pastValue, length, valueWidth) };
}

/** Copies matrices of the same size in: the first to `address`, the others `stride` floats apart. */
export function writeMatrices(
  memory: Memory,
  address: number,
  data: Float32Array,
  matrices: number,
  stride: number,
): void {
  // There may be billions of empty matrices to loop over.
  if (data.length === 0) return;
  const size = data.length / matrices;
  for (let i = 0; i < matrices; ++i) {
    memory.write(address + 4 * i * stride, data.subarray(i * size, (i + 1) * size));
  }
}
