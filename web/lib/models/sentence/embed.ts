/** From the vectors of tokens to one vector for each row. */
import { checkInteger, wrongValue } from '../../check/values.js';
import type { Tensor } from '../../types.js';
import type { Pooling } from '../types.js';
import type { Dense, Sentence } from './modules.js';

/** A row's vectors, and where its real tokens are. */
interface Row {
  readonly at: (token: number) => Float32Array;
  readonly tokens: readonly number[];
  readonly width: number;
}

/** The weighted sum of a row's tokens, divided by `by(sum of weights)`. */
function weighted({ at, tokens, width }: Row, weightOf: (token: number) => number, by: (total: number) => number) {
  const sum = new Float64Array(width);
  let total = 0;
  for (const token of tokens) {
    const weight = weightOf(token);
    total += weight;
    at(token).forEach((x, i) => (sum[i]! += weight * x));
  }
  return sum.map((x) => x / by(total));
}

const one = () => 1;

export const POOLINGS: Readonly<Record<Pooling, (row: Row) => ArrayLike<number>>> = {
  mean: (row) => weighted(row, one, (count) => count),
  mean_sqrt_len: (row) => weighted(row, one, Math.sqrt),
  // Places count padding, too, as in sentence-transformers.
  weighted_mean: (row) =>
    weighted(
      row,
      (token) => token + 1,
      (total) => total,
    ),
  cls: ({ at, tokens }) => at(tokens[0]!),
  last: ({ at, tokens }) => at(tokens.at(-1)!),
  max: ({ at, tokens, width }) =>
    tokens.reduce((most, token) => {
      at(token).forEach((x, i) => (most[i] = Math.max(most[i]!, x)));
      return most;
    }, new Float64Array(width).fill(-Infinity)),
};

/** The number of numbers of an embedding: `dim`, or all that there are. */
export function dimOf(operation: string, { pooling, dense }: Sentence, width: number, dim: unknown): number {
  const pooled = pooling.length * width;
  const first = dense[0]?.inputs ?? pooled;
  if (first !== pooled) wrongValue(operation, `pooling that gives the ${first} numbers of the first Dense`, pooled);
  const all = dense.at(-1)?.outputs ?? pooled;
  return dim == null ? all : checkInteger(operation, 'dim', dim, 1, all);
}

/**
 * Pools tokens, maps the vectors, keeps `dim` numbers of each, and brings them to length 1.
 *
 * @param hidden (B, T, D)
 * @param mask (B, T)
 */
export function embedded(
  { data, shape }: Tensor,
  mask: Uint8Array | undefined,
  { pooling, dense, normalize }: Sentence,
  dim: number,
): Tensor {
  const [batch, length, width] = shape as [number, number, number];
  const result = new Float32Array(batch * dim);
  for (let b = 0; b < batch; ++b) {
    const row: Row = {
      at: (token) => data.subarray((b * length + token) * width, (b * length + token + 1) * width),
      tokens: Array.from({ length }, (_, t) => t).filter((t) => mask?.[b * length + t] !== 0),
      width,
    };
    const vectors = Float64Array.from(pooling.flatMap((mode) => Array.from(POOLINGS[mode](row))));
    const mapped = dense.reduce<Float64Array>((x, layer) => mapDense(x, layer), vectors).subarray(0, dim);
    const norm = normalize ? Math.max(Math.sqrt(mapped.reduce((sum, x) => sum + x * x, 0)), 1e-12) : 1;
    result.set(
      mapped.map((x) => x / norm),
      b * dim,
    );
  }
  return { data: result, shape: [batch, dim] };
}

function mapDense(x: Float64Array, { inputs, outputs, weight, bias, activation }: Dense): Float64Array {
  const out = new Float64Array(outputs);
  for (let o = 0; o < outputs; ++o) {
    let sum = bias?.[o] ?? 0;
    for (let i = 0; i < inputs; ++i) sum += x[i]! * weight[o * inputs + i]!;
    out[o] = activation(sum);
  }
  return out;
}
