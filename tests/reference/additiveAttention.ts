import { softmaxRow } from './maskedSoftmax.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** The tensors of a call: queries (B, L, Dq), keys (B, S, Dk), values (B, S, Dv), Wq (D, Dq), Wk (D, Dk), wv (1, D). */
export interface AdditiveTensors<T = Numbers> {
  readonly queries: T;
  readonly keys: T;
  readonly values: T;
  readonly Wq: T;
  readonly Wk: T;
  readonly wv: T;
}

/** Σ_c matrix[row, c]·x[at, c], and the sum of its terms' magnitudes. */
function product(matrix: Numbers, row: number, x: Numbers, at: number): [sum: number, magnitude: number] {
  const width = matrix.shape[1]!;
  let [sum, magnitude] = [0, 0];
  for (let c = 0; c < width; ++c) {
    const term = matrix.data[row * width + c]! * x.data[at * width + c]!;
    sum += term;
    magnitude += Math.abs(term);
  }
  return [sum, magnitude];
}

/** How many keys query i of sequence b sees; validLens (B,) or (B, L). */
export function visibleTo(validLens: Numbers | undefined, b: number, i: number, L: number, S: number): number {
  if (!validLens) return S;
  return Math.min(S, validLens.data[validLens.shape.length === 2 ? b * L + i : b]!);
}

/** tanh(Wq·query + Wk·key), and the largest sum of magnitudes that a tanh is taken of. */
export function hiddenOf(t: AdditiveTensors, query: number, key: number): { tanh: number[]; size: number } {
  const sums = Array.from({ length: t.Wq.shape[0]! }, (_, d) => {
    const [q, qSize] = product(t.Wq, d, t.queries, query);
    const [k, kSize] = product(t.Wk, d, t.keys, key);
    return { tanh: Math.tanh(q + k), size: qSize + kSize };
  });
  return { tanh: sums.map(({ tanh }) => tanh), size: Math.max(0, ...sums.map(({ size }) => size)) };
}

/** Additive attention, one number at a time. `size` is the largest sum of magnitudes that a tanh is taken of. */
export function additiveAttention(
  t: AdditiveTensors,
  validLens?: Numbers,
): { output: Reference; weights: Reference; size: number } {
  const [B, L] = t.queries.shape as [number, number, number];
  const [, S, Dv] = t.values.shape as [number, number, number];
  const output = zeros(B, L, Dv);
  const weights = zeros(B, L, S);
  let size = 0;
  for (let row = 0; row < B * L; ++row) {
    const b = Math.floor(row / L);
    const visible = visibleTo(validLens, b, row % L, L, S);
    const scores = Array.from({ length: visible }, (_, j) => {
      const hidden = hiddenOf(t, row, b * S + j);
      size = Math.max(size, hidden.size);
      return hidden.tanh.reduce((sum, x, d) => sum + x * t.wv.data[d]!, 0);
    });
    softmaxRow(scores).forEach((weight, j) => {
      weights.data[row * S + j] = weight;
      for (let c = 0; c < Dv; ++c) {
        output.data[row * Dv + c]! += weight * t.values.data[(b * S + j) * Dv + c]!;
      }
    });
  }
  return { output, weights, size };
}
