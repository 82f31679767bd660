import { normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/**
 * softmax(QKᵀ/√d)·V for query, key and value of shape (batch, heads, n, d). `window`: how many earlier keys a query
 * sees.
 */
export function attention({ batch = 1, heads, n, d, causal = false, window }) {
  const size = batch * heads * n * d;
  const [query, key, value] = [11, 12, 13].map((seed) => normal(size, seed));
  return {
    kind: 'attention',
    params: { batch, heads, n, d, causal, window },
    inputs: { query, key, value },
    // Masked work counts too, so that full and causal figures can be compared.
    flop: 4 * batch * heads * n * n * d,
    check({ output }) {
      const errors = new Errors();
      Errors.length('output', output, size);
      for (const block of sample(batch * heads, 3, 14)) {
        for (const i of sample(n, 6, 15 + block)) checkRow(errors, { query, key, value, output }, block, i);
      }
      return errors;

      function checkRow(into, data, block, i) {
        const at = block * n * d;
        const last = causal || window !== undefined ? i + 1 : n;
        const scores = new Float64Array(n).fill(-Infinity);
        for (let j = window === undefined ? 0 : Math.max(0, i - window); j < last; j++) {
          let sum = 0;
          for (let e = 0; e < d; e++) sum += data.query[at + i * d + e] * data.key[at + j * d + e];
          scores[j] = sum / Math.sqrt(d);
        }
        const weights = softmax64(scores, last);
        for (let e = 0; e < d; e++) {
          let sum = 0;
          let scale = 0;
          for (let j = 0; j < last; j++) {
            sum += weights[j] * data.value[at + j * d + e];
            scale += weights[j] * Math.abs(data.value[at + j * d + e]);
          }
          // Scores are a few units large and off by a few roundings; each weight changes by as many.
          into.compare(data.output[at + i * d + e], sum, scale, 32);
        }
      }
    },
  };
}
