import { toTensorOfRank } from '../../check/arrays.js';
import { showShape, wrongValue } from '../../check/values.js';
import type { Within, Word } from '../../generated/bindings/args.js';
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { setStack, words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions, Tensor, TensorLike } from '../../types.js';
import type { AttentionSizes } from './options.js';
import { checkPast, writeMatrices, type PastTensors } from './past.js';

/** Query, key, value and past of one attention call, checked against each other. */
export interface AttentionInputs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly past: PastTensors | undefined;
  readonly kvHeads: number;
  readonly sizes: AttentionSizes;
  readonly outputShape: readonly number[];
}

/** Checks the tensors of an attention call, before anything is copied. */
export function checkAttentionInputs(
  operation: string,
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  options: AttentionOptions,
): AttentionInputs {
  const q = toTensorOfRank(operation, 'query', query, 2, 3, 4);
  const k = toTensorOfRank(operation, 'key', key, q.shape.length);
  const v = toTensorOfRank(operation, 'value', value, q.shape.length);
  const [batch, heads, queries, width] = axes(q);
  const [keyBatch, kvHeads, newKeys, keyWidth] = axes(k);
  const [valueBatch, valueHeads, values, valueWidth] = axes(v);
  if (keyBatch !== batch || keyWidth !== width) {
    wrongValue(operation, `key (…, S, ${width}) of batch ${batch}`, showShape(k.shape));
  }
  if (valueBatch !== batch || valueHeads !== kvHeads || values !== newKeys) {
    wrongValue(operation, `value to match key ${showShape(k.shape)} but for its last axis`, showShape(v.shape));
  }
  if (kvHeads === 0 ? heads !== 0 : heads % kvHeads !== 0) {
    wrongValue(operation, `query of a multiple of ${kvHeads} heads`, heads);
  }
  const past = checkPast(operation, options, {
    rank: q.shape.length,
    batch,
    kvHeads,
    width,
    valueWidth,
    fresh: newKeys,
  });
  const pastLength = past?.length ?? 0;
  const keys = pastLength + newKeys;
  const leading = q.shape.slice(0, -1);
  const sizes = {
    batch,
    heads,
    queries,
    keys,
    width,
    valueWidth,
    past: pastLength,
    scoresShape: [...leading, keys],
  };
  return { query: q, key: k, value: v, past, kvHeads, sizes, outputShape: [...leading, valueWidth] };
}

/**
 * Copies queries, keys and values in, and sets all sizes, addresses and strides. `output` is the address of the output,
 * or of another tensor with the same shape.
 *
 * @returns the addresses of all keys and values
 */
export function placeAttentionInputs(
  memory: Memory,
  { query, key, value, past, kvHeads, sizes }: AttentionInputs,
  output: number,
): { readonly key: number; readonly value: number } {
  const { batch, heads, queries, keys, width, valueWidth } = sizes;
  words[AttentionArgs.batch] = batch;
  words[AttentionArgs.heads] = heads;
  words[AttentionArgs.kvHeads] = kvHeads || 1;
  words[AttentionArgs.queries] = queries;
  words[AttentionArgs.keys] = keys;
  words[AttentionArgs.width] = width;
  words[AttentionArgs.valueWidth] = valueWidth;
  const keyAddress = join(memory, past?.key, key.data, batch * kvHeads);
  const valueAddress = join(memory, past?.value, value.data, batch * kvHeads);
  setContiguous(AttentionArgs.query, AttentionArgs.queryStrides, memory.input(query.data), heads, queries, width);
  setContiguous(AttentionArgs.key, AttentionArgs.keyStrides, keyAddress, kvHeads, keys, width);
  setContiguous(AttentionArgs.value, AttentionArgs.valueStrides, valueAddress, kvHeads, keys, valueWidth);
  setContiguous(AttentionArgs.output, AttentionArgs.outputStrides, output, heads, queries, valueWidth);
  return { key: keyAddress, value: valueAddress };
}

/** The sizes (B, H, rows, columns) of a tensor of rank 2 to 4. */
export function axes({ shape }: Tensor): [number, number, number, number] {
  const [rows, columns] = shape.slice(-2) as [number, number];
  return [shape.length > 2 ? shape[0]! : 1, shape.length > 3 ? shape[1]! : 1, rows, columns];
}

/** Sets the address and strides of a contiguous tensor (B, H, rows, columns). */
function setContiguous(
  at: Word,
  strides: Within<'Strides'>,
  address: number,
  heads: number,
  rows: number,
  columns: number,
): void {
  setStack(at, strides, address, { batch: heads * rows * columns, head: rows * columns, row: columns });
}

/**
 * Copies past and new rows in, the new ones after the past ones in each of `matrices` matrices; returns the address.
 */
function join(memory: Memory, past: Tensor | undefined, data: Float32Array, matrices: number): number {
  if (!past) return memory.input(data);
  const address = memory.reserve(past.data.length + data.length);
  const pastSize = past.data.length / matrices;
  const stride = pastSize + data.length / matrices;
  writeMatrices(memory, address, past.data, matrices, stride);
  writeMatrices(memory, address + 4 * pastSize, data, matrices, stride);
  return address;
}
