import { toTensor, toTensorOfShape } from '../../check/arrays.js';
import type { Tensor, TensorLike } from '../../types.js';

/** Queries, keys and values. If the caller passed the same tensor for two of them, they are the same object. */
export type Inputs = readonly [Tensor, Tensor, Tensor];

/** Checks the inputs, (B, L, Dq), (B, S, Dk) and (B, S, Dv). */
export function checkInputs(
  operation: string,
  [queryWidth, keyWidth, valueWidth]: readonly [number, number, number],
  queries: TensorLike,
  keys: TensorLike,
  values: TensorLike,
): Inputs {
  const q = toTensorOfShape(operation, 'queries', queries, ['B', 'L', queryWidth]);
  const batch = q.shape[0]!;
  const k =
    keys === queries && keyWidth === queryWidth ? q : toTensorOfShape(operation, 'keys', keys, [batch, 'S', keyWidth]);
  const v =
    values === keys && valueWidth === keyWidth
      ? k
      : toTensorOfShape(operation, 'values', values, [batch, k.shape[1]!, valueWidth]);
  return [q, k, v];
}

/** Copies for the backward pass, because the caller may change the arrays before it. */
export function copiesOf([q, k, v]: Inputs): Inputs {
  const copy = ({ data, shape }: Tensor): Tensor => ({ data: data.slice(), shape: [...shape] });
  const queries = copy(q);
  const keys = k === q ? queries : copy(k);
  return [queries, keys, v === k ? keys : copy(v)];
}

/**
 * The options with copies of these tensors, because the caller may change the arrays before they are read.
 *
 * @param path where the options are, for messages
 */
export function ownTensors<T extends object>(
  operation: string,
  options: T,
  names: readonly (keyof T & string)[],
  path = '',
): T {
  const own: Partial<Record<keyof T, unknown>> = { ...options };
  for (const name of names) {
    if (own[name] == null) continue;
    const { data, shape } = toTensor(operation, path + name, own[name] as TensorLike);
    own[name] = { data: data.slice(), shape };
  }
  return own as T;
}
