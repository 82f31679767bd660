import { normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/** Four square matrices (out, in), scaled so that activations stay near 1. */
export function parameters(width, seed = 31) {
  const scale = 1 / Math.sqrt(width);
  const [wq, wk, wv, wo] = [0, 1, 2, 3].map((i) => normal(width * width, seed + i, scale));
  return { wq, wk, wv, wo };
}

/**
 * One output row in float64: `x` (rows, width) is the sequence, `token` (width,) the query's row, `valid` the number of visible keys.
 * The query takes over the keys' projection, q·(W_k·x) = (W_kᵀ·q)·x, so that a row costs little more than reading x.
 */
export function multiHeadRow({ wq, wk, wv, wo }, x, token, { width, heads, valid, keys }) {
  const d = width / heads;
  const mixed = new Float64Array(width);
  const weights = [];
  for (let h = 0; h < heads; h++) {
    const direction = new Float64Array(width);
    for (let r = h * d; r < (h + 1) * d; r++) {
      let q = 0;
      for (let e = 0; e < width; e++) q += wq[r * width + e] * token[e];
      for (let e = 0; e < width; e++) direction[e] += q * wk[r * width + e];
    }
    const scores = new Float64Array(keys);
    for (let j = 0; j < valid; j++) {
      let sum = 0;
      for (let e = 0; e < width; e++) sum += direction[e] * x[j * width + e];
      scores[j] = sum / Math.sqrt(d);
    }
    const p = softmax64(scores, valid);
    weights.push(p);
    const mean = new Float64Array(width);
    for (let j = 0; j < valid; j++) for (let e = 0; e < width; e++) mean[e] += p[j] * x[j * width + e];
    for (let r = h * d; r < (h + 1) * d; r++) {
      for (let e = 0; e < width; e++) mixed[r] += wv[r * width + e] * mean[e];
    }
  }
  const output = new Float64Array(width);
  const scale = new Float64Array(width);
  for (let r = 0; r < width; r++) {
    for (let e = 0; e < width; e++) {
      output[r] += wo[r * width + e] * mixed[e];
      scale[r] += Math.abs(wo[r * width + e] * mixed[e]);
    }
  }
  return { output, scale, weights };
}

/** Multi-head self-attention of x (batch, n, width) without biases. `lengths`: d2l's valid lengths, one for each sequence. */
export function multiHead({ batch, n, width, heads, lengths, needWeights = false }) {
  const x = normal(batch * n * width, 21);
  const weightsOf = parameters(width);
  return {
    kind: 'multiHead',
    params: { batch, n, width, heads, lengths, needWeights },
    inputs: { x },
    parameters: weightsOf,
    flop: batch * n * width * (8 * width + 4 * n),
    check({ output, weights }) {
      const errors = new Errors();
      Errors.length('output', output, batch * n * width);
      if (needWeights) Errors.length('weights', weights, batch * heads * n * n);
      for (const b of sample(batch, 2, 22)) {
        const sequence = x.subarray(b * n * width, (b + 1) * n * width);
        for (const i of sample(n, 4, 23)) {
          const token = sequence.subarray(i * width, (i + 1) * width);
          const valid = lengths ? lengths[b] : n;
          const row = multiHeadRow(weightsOf, sequence, token, { width, heads, valid, keys: n });
          for (let e = 0; e < width; e++) {
            errors.compare(output[(b * n + i) * width + e], row.output[e], row.scale[e], 64);
          }
          if (!needWeights) continue;
          for (let h = 0; h < heads; h++) {
            for (let j = 0; j < n; j++) {
              errors.compare(
                weights[((b * heads + h) * n + i) * n + j],
                row.weights[h][j],
                row.weights[h][j] + 1e-30,
                64,
              );
            }
          }
        }
      }
      return errors;
    },
  };
}
