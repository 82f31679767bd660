/** Checks and places the arguments that both operations of additive attention share. */
import { rowLens, toTensorOfRank, toTensorOfShape, toValidLens } from '../../check/arrays.js';
import { checkOptions, type Known } from '../../check/options.js';
import { showShape, wrongValue } from '../../check/values.js';
import * as AdditiveAttentionArgs from '../../generated/bindings/additiveAttentionArgs.js';
import { clearArgs, words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike, ValidLens } from '../../types.js';

/** The parameters of additive attention; D is the width of its hidden layer. */
export interface AdditiveAttentionWeights {
  /** (D, Dq): d2l's W_q.weight. */
  Wq: TensorLike;
  /** (D, Dk): d2l's W_k.weight. */
  Wk: TensorLike;
  /** (1, D): d2l's w_v.weight. */
  wv: TensorLike;
}

/** The options of additive attention. */
export interface AdditiveAttentionOptions {
  /** Keys at or beyond this index are masked: (B,) or (B, L); above S means S. By default none are. */
  validLens?: ValidLens;
}

const WEIGHTS: Known<AdditiveAttentionWeights> = { Wq: 1, Wk: 1, wv: 1 };
const OPTIONS: Known<AdditiveAttentionOptions> = { validLens: 1 };

export interface AdditiveInputs {
  readonly batch: number;
  readonly queryCount: number;
  readonly keyCount: number;
  readonly valueWidth: number;
  /** Queries, keys, values, Wq, Wk, wv. */
  readonly tensors: readonly Tensor[];
  /** (B, L), or null if every key is visible. */
  readonly valid: Int32Array | null;
}

/** Checks all arguments except the gradient. */
export function checkAdditiveInputs(
  operation: string,
  queries: TensorLike,
  keys: TensorLike,
  values: TensorLike,
  weights: AdditiveAttentionWeights,
  options: AdditiveAttentionOptions | undefined,
): AdditiveInputs {
  const { validLens } = checkOptions(operation, options, OPTIONS);
  const given = checkOptions(operation, weights, WEIGHTS, 'weights');
  const q = toTensorOfRank(operation, 'queries', queries, 3);
  const [batch, queryCount, queryWidth] = q.shape as [number, number, number];
  const k = toTensorOfShape(operation, 'keys', keys, [batch, 'S', 'Dk']);
  const [, keyCount, keyWidth] = k.shape as [number, number, number];
  const v = toTensorOfShape(operation, 'values', values, [batch, keyCount, 'Dv']);
  const Wq = toTensorOfShape(operation, 'Wq', given.Wq, ['D', queryWidth]);
  const hiddens = Wq.shape[0]!;
  if (hiddens === 0) wrongValue(operation, 'Wq of at least one row', showShape(Wq.shape));
  const Wk = toTensorOfShape(operation, 'Wk', given.Wk, [hiddens, keyWidth]);
  const wv = toTensorOfShape(operation, 'wv', given.wv, [1, hiddens]);
  const lens = validLens == null ? null : toValidLens(operation, validLens, batch, queryCount, keyCount);
  return {
    batch,
    queryCount,
    keyCount,
    valueWidth: v.shape[2]!,
    tensors: [q, k, v, Wq, Wk, wv],
    valid: lens && rowLens(operation, lens, 1, queryCount),
  };
}

/** Copies the inputs in and sets C++'s AdditiveAttentionArgs, without the results. */
export function placeAdditiveInputs(
  memory: Memory,
  { batch, queryCount, keyCount, valueWidth, tensors, valid }: AdditiveInputs,
): void {
  const [q, k, , Wq] = tensors as [Tensor, Tensor, Tensor, Tensor];
  clearArgs();
  words[AdditiveAttentionArgs.batch] = batch;
  words[AdditiveAttentionArgs.queries] = queryCount;
  words[AdditiveAttentionArgs.keys] = keyCount;
  words[AdditiveAttentionArgs.queryWidth] = q.shape[2]!;
  words[AdditiveAttentionArgs.keyWidth] = k.shape[2]!;
  words[AdditiveAttentionArgs.valueWidth] = valueWidth;
  words[AdditiveAttentionArgs.hiddens] = Wq.shape[0]!;
  const addresses = [
    AdditiveAttentionArgs.query,
    AdditiveAttentionArgs.key,
    AdditiveAttentionArgs.value,
    AdditiveAttentionArgs.weightQuery,
    AdditiveAttentionArgs.weightKey,
    AdditiveAttentionArgs.weightVector,
  ];
  addresses.forEach((field, i) => (words[field] = memory.floats(tensors[i]!.data)));
  if (valid) words[AdditiveAttentionArgs.valid] = memory.ints(valid);
}
