import { normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/** Four square matrices (out, in), scaled so that activations stay near 1. */
export function parameters(width, seed = 31) {
  const scale = 1 / Math.sqrt(width);
  const [wq, wk, wv, wo] = [0, 1, 2, 3].map((i) => normal(width * width, seed + i, scale));
  return { wq, wk, wv, wo };
}

/**
 * One output row in float64: `x` (rows, width) is the sequence, `token` (width,) the query's row, `valid` the number of
 * visible keys. The query takes over the keys' projection, q·(W_k·x) = (W_kᵀ·q)·x, so that a row costs little more than
 * reading x.
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

/** Rows of heads of 2·half numbers, divided by their root mean square and turned by their positions, in float64. */
function turnedKeys(matrix, x, { rows, width, heads }) {
  const [d, half] = [width / heads, width / heads / 2];
  const y = new Float64Array(rows * width);
  for (let i = 0; i < rows; i++) {
    for (let r = 0; r < width; r++) {
      let sum = 0;
      for (let e = 0; e < width; e++) sum += matrix[r * width + e] * x[i * width + e];
      y[i * width + r] = sum;
    }
    for (let h = 0; h < heads; h++) {
      const head = y.subarray(i * width + h * d, i * width + (h + 1) * d);
      const root = Math.sqrt(head.reduce((sum, v) => sum + v * v, 0) / d + 1e-6);
      for (let j = 0; j < half; j++) {
        const angle = i * 10000 ** (-j / half);
        const [a, b] = [head[j] / root, head[j + half] / root];
        head[j] = a * Math.cos(angle) - b * Math.sin(angle);
        head[j + half] = b * Math.cos(angle) + a * Math.sin(angle);
      }
    }
  }
  return y;
}

/**
 * Multi-head self-attention (1, n, width) with normed and turned queries and keys. The baseline is the same without
 * them.
 */
export function rotaryMultiHead({ n, width, heads }) {
  const problem = multiHead({ batch: 1, n, width, heads });
  const { wq, wk, wv, wo } = problem.parameters;
  const { x } = problem.inputs;
  const size = { rows: n, width, heads };
  const d = width / heads;
  let expected;
  const compute = () => {
    const [q, k] = [turnedKeys(wq, x, size), turnedKeys(wk, x, size)];
    const rows = sample(n, 4, 23).map((i) => {
      const mixed = new Float64Array(width);
      for (let h = 0; h < heads; h++) {
        const scores = Float64Array.from({ length: n }, (_, j) => {
          let sum = 0;
          for (let e = h * d; e < (h + 1) * d; e++) sum += q[i * width + e] * k[j * width + e];
          return sum / Math.sqrt(d);
        });
        const p = softmax64(scores, n);
        const mean = new Float64Array(width);
        for (let j = 0; j < n; j++) for (let e = 0; e < width; e++) mean[e] += p[j] * x[j * width + e];
        for (let r = h * d; r < (h + 1) * d; r++) {
          for (let e = 0; e < width; e++) mixed[r] += wv[r * width + e] * mean[e];
        }
      }
      return { i, mixed };
    });
    return rows;
  };
  return {
    ...problem,
    kind: 'rotaryMultiHead',
    check({ output, plain }) {
      if (plain) return problem.check({ output: plain });
      const errors = new Errors();
      Errors.length('output', output, n * width);
      for (const { i, mixed } of (expected ??= compute())) {
        for (let r = 0; r < width; r++) {
          let [sum, scale] = [0, 0];
          for (let e = 0; e < width; e++) {
            sum += wo[r * width + e] * mixed[e];
            scale += Math.abs(wo[r * width + e] * mixed[e]);
          }
          // Scores of normed heads of 64 are of size 8 and off by a few roundings; each weight changes by as many.
          errors.compare(output[i * width + r], sum, scale, 256);
        }
      }
      return errors;
    },
  };
}

/**
 * Multi-head self-attention of x (batch, n, width) without biases. `lengths`: d2l's valid lengths, one for each
 * sequence.
 */
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
