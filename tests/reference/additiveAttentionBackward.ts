import { additiveAttention, hiddenOf, visibleTo, type AdditiveTensors } from './additiveAttention.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** A gradient, and for each element the sum of its terms' magnitudes. */
export interface Gradient extends Reference {
  readonly magnitude: Float64Array;
}

/** The gradients of sum(output·gradOutput), by the chain rule, one term at a time. */
export function additiveAttentionBackward(
  gradOutput: Numbers,
  t: AdditiveTensors,
  validLens?: Numbers,
): AdditiveTensors<Gradient> {
  const gradient = ({ shape }: Numbers): Gradient => {
    const { data } = zeros(...shape);
    return { data, magnitude: data.slice(), shape };
  };
  const result = {
    queries: gradient(t.queries),
    keys: gradient(t.keys),
    values: gradient(t.values),
    Wq: gradient(t.Wq),
    Wk: gradient(t.Wk),
    wv: gradient(t.wv),
  };
  const add = (to: Gradient, at: number, term: number, magnitude: number) => {
    to.data[at]! += term;
    to.magnitude[at]! += magnitude;
  };
  const { weights } = additiveAttention(t, validLens);
  const [B, L] = t.queries.shape as [number, number, number];
  const [, S, Dv] = t.values.shape as [number, number, number];

  /** Passes the gradient of hidden unit d on to a row of `x` and to row d of its matrix. */
  const project = (x: 'queries' | 'keys', matrix: 'Wq' | 'Wk', row: number, d: number, g: number, size: number) => {
    const width = t[x].shape[2]!;
    for (let c = 0; c < width; ++c) {
      const [input, weight] = [t[x].data[row * width + c]!, t[matrix].data[d * width + c]!];
      add(result[x], row * width + c, g * weight, size * Math.abs(weight));
      add(result[matrix], d * width + c, g * input, size * Math.abs(input));
    }
  };

  for (let row = 0; row < B * L; ++row) {
    const b = Math.floor(row / L);
    const visible = visibleTo(validLens, b, row % L, L, S);
    const weight = (j: number) => weights.data[row * S + j]!;
    const gradWeights: number[] = [];
    const sizes: number[] = [];
    for (let j = 0; j < visible; ++j) {
      let [sum, size] = [0, 0];
      for (let c = 0; c < Dv; ++c) {
        const at = (b * S + j) * Dv + c;
        const g = gradOutput.data[row * Dv + c]!;
        sum += g * t.values.data[at]!;
        size += Math.abs(g * t.values.data[at]!);
        add(result.values, at, g * weight(j), Math.abs(g * weight(j)));
      }
      gradWeights.push(sum);
      sizes.push(size);
    }
    const mean = gradWeights.reduce((total, g, j) => total + g * weight(j), 0);
    const meanSize = sizes.reduce((total, size, j) => total + size * weight(j), 0);
    for (let j = 0; j < visible; ++j) {
      const g = weight(j) * (gradWeights[j]! - mean);
      const size = weight(j) * (sizes[j]! + meanSize);
      hiddenOf(t, row, b * S + j).tanh.forEach((x, d) => {
        const vector = t.wv.data[d]!;
        add(result.wv, d, g * x, size);
        // In 1 - tanh² the term 1 is the largest, so the magnitude is not multiplied by the slope.
        const slope = g * vector * (1 - x * x);
        project('queries', 'Wq', row, d, slope, size * Math.abs(vector));
        project('keys', 'Wk', b * S + j, d, slope, size * Math.abs(vector));
      });
    }
  }
  return result;
}
