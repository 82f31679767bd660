/** What additive attention's two operations share: their arguments, checked and placed. */
import { toTensorOfRank, toTensorOfShape, toValidLens } from '../../check/arrays.js';
import { checkOptions, showShape, wrongKind, wrongValue } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike, ValidLens } from '../../types.js';
import { rowLens } from '../attention/rowLens.js';

/** The parameters of additive attention; D is the width of its hidden layer. */
export interface AdditiveAttentionWeights {
  /** (D, Dq): d2l's W_q.weight. */
  Wq: TensorLike;
  /** (D, Dk): d2l's W_k.weight. */
  Wk: TensorLike;
  /** (1, D): d2l's w_v.weight. */
  wv: TensorLike;
}

/** What additive attention may be told. */
export interface AdditiveAttentionOptions {
  /** Keys at or beyond this index are masked: (B,) or (B, L); above S means S. Default: none are. */
  validLens?: ValidLens;
}

export interface AdditiveInputs {
  readonly batch: number;
  readonly queryCount: number;
  readonly keyCount: number;
  readonly valueWidth: number;
  /** Queries, keys, values, Wq, Wk, wv. */
  readonly tensors: readonly Tensor[];
  /** (B, L), or null where every key is visible. */
  readonly valid: Int32Array | null;
}

/** Checks every argument but a gradient. */
export function checkAdditiveInputs(
  operation: string,
  queries: TensorLike,
  keys: TensorLike,
  values: TensorLike,
  weights: AdditiveAttentionWeights,
  options: AdditiveAttentionOptions | undefined,
): AdditiveInputs {
  const { validLens } = checkOptions<AdditiveAttentionOptions>(operation, options);
  if (typeof weights !== 'object' || weights === null) {
    wrongKind(operation, 'weights to be an object with Wq, Wk and wv', weights);
  }
  const q = toTensorOfRank(operation, 'queries', queries, 3);
  const [batch, queryCount, queryWidth] = q.shape as [number, number, number];
  const k = toTensorOfShape(operation, 'keys', keys, [batch, 'S', 'Dk']);
  const [, keyCount, keyWidth] = k.shape as [number, number, number];
  const v = toTensorOfShape(operation, 'values', values, [batch, keyCount, 'Dv']);
  const Wq = toTensorOfShape(operation, 'Wq', weights.Wq, ['D', queryWidth]);
  const hiddens = Wq.shape[0]!;
  if (hiddens === 0) wrongValue(operation, 'Wq to have a row at least', showShape(Wq.shape));
  const Wk = toTensorOfShape(operation, 'Wk', weights.Wk, [hiddens, keyWidth]);
  const wv = toTensorOfShape(operation, 'wv', weights.wv, [1, hiddens]);
  const lens = validLens == null ? null : toValidLens(operation, validLens, batch, queryCount, keyCount);
  return {
    batch,
    queryCount,
    keyCount,
    valueWidth: v.shape[2]!,
    tensors: [q, k, v, Wq, Wk, wv],
    valid: lens && rowLens(lens, 1, queryCount),
  };
}

/** The words of C++'s AdditiveAttentionArgs, in its order. */
export interface AdditiveArgs {
  /** Copies the words, and `rest` behind them, to where C++ reads them: the address. */
  place(scratch: number, rest?: readonly number[]): number;
}

/** Copies the inputs in. `results` are the addresses of output and weights, where there are such. */
export function placeAdditiveInputs(
  memory: Memory,
  { batch, queryCount, keyCount, valueWidth, tensors, valid }: AdditiveInputs,
  results: readonly [output: number, weights: number] = [0, 0],
): AdditiveArgs {
  const [q, k, , Wq] = tensors as [Tensor, Tensor, Tensor, Tensor];
  const sizes = [batch, queryCount, keyCount, q.shape[2]!, k.shape[2]!, valueWidth, Wq.shape[0]!];
  const addresses = tensors.map(({ data }) => memory.floats(data));
  const lens = valid ? memory.ints(valid) : 0;
  return {
    place: (scratch, rest = []) => memory.ints([...sizes, ...addresses, lens, scratch, ...results, ...rest]),
  };
}
