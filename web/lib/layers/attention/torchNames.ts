import { toTensor } from '../../check/arrays.js';
import { showShape, wrongKind, wrongValue } from '../../check/values.js';
import type { Tensor, TensorLike } from '../../types.js';

const RENAMED = new Map([
  ['q_proj_weight', 'W_q.weight'],
  ['k_proj_weight', 'W_k.weight'],
  ['v_proj_weight', 'W_v.weight'],
  ['out_proj.weight', 'W_o.weight'],
  ['out_proj.bias', 'W_o.bias'],
]);

/**
 * Renames the tensors of a state dict of torch.nn.MultiheadAttention to this library's names, and splits joined ones;
 * other names stay. `kvWidth` is the number of rows of the keys, and of the values, in the joined projections.
 */
export function fromTorch(
  operation: string,
  state: Record<string, TensorLike>,
  kvWidth: number,
): Record<string, TensorLike> {
  if (typeof state !== 'object' || state === null) wrongKind(operation, 'an object of tensors', state);
  // Not an object, in which a tensor named `__proto__` would be lost.
  const renamed = new Map<string, TensorLike>();
  const put = (name: string, value: TensorLike): void => {
    if (renamed.has(name)) wrongValue(operation, `one entry for ${name}`, 'two');
    renamed.set(name, value);
  };
  for (const [name, value] of Object.entries(state)) {
    const joined = /^in_proj_(weight|bias)$/.exec(name);
    if (!joined) {
      put(RENAMED.get(name) ?? name, value);
      continue;
    }
    const [q, k, v] = split(operation, name, toTensor(operation, name, value), kvWidth);
    put(`W_q.${joined[1]}`, q);
    put(`W_k.${joined[1]}`, k);
    put(`W_v.${joined[1]}`, v);
  }
  return Object.fromEntries(renamed);
}

/** Splits a joined projection: the last 2 * kvWidth rows belong to keys and values, the rows before them to queries. */
function split(operation: string, name: string, { data, shape }: Tensor, kvWidth: number): [Tensor, Tensor, Tensor] {
  const [rows = 0, ...inner] = shape;
  const queryRows = rows - 2 * kvWidth;
  if (queryRows <= 0) wrongValue(operation, `${name} of more than ${2 * kvWidth} rows`, showShape(shape));
  const width = data.length / rows;
  const part = (from: number, count: number): Tensor => ({
    data: data.subarray(from * width, (from + count) * width),
    shape: [count, ...inner],
  });
  return [part(0, queryRows), part(queryRows, kvWidth), part(queryRows + kvWidth, kvWidth)];
}
