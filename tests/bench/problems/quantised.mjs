import { transpose } from '../peers/dense.mjs';
import { EPSILON, Errors } from './check.mjs';
import { matmul } from './matmul.mjs';

/**
 * C (m, n) = A (m, k) · B (k, n), where the weight B is quantised and the call rounds A. `weight` is B's transpose. The
 * tolerance allows the rounding to 4 bits: a sixteenth of the largest weight in each term, of random sign.
 */
export function quantisedProduct({ m, k, n }) {
  const plain = matmul({ m, k, n });
  const { a, b } = plain.inputs;
  return {
    ...plain,
    kind: 'quantised',
    inputs: { a },
    weight: transpose(b, k, n),
    check({ c }) {
      const errors = new Errors();
      Errors.length('c', c, m * n);
      for (let i = 0; i < m; i += 37) {
        for (let j = 0; j < n; j += 41) {
          let sum = 0;
          for (let p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
          // Six standard deviations: a's are 1, the error's are at most 4/16/√3 for weights within ±4.
          errors.compare(c[i * n + j], sum, 6 * 0.15 * Math.sqrt(k), 1 / EPSILON);
        }
      }
      return errors;
    },
  };
}
