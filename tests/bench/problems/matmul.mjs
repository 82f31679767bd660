import { normal, sample } from '../random.mjs';
import { Errors } from './check.mjs';

/** C (m, n) = A (m, k) · B (k, n). */
export function matmul({ m, k, n }) {
  const a = normal(m * k, 1);
  const b = normal(k * n, 2);
  return {
    kind: 'matmul',
    params: { m, k, n },
    inputs: { a, b },
    flop: 2 * m * k * n,
    check({ c }) {
      const errors = new Errors();
      Errors.length('c', c, m * n);
      for (const i of sample(m, 12, 3)) {
        for (const j of sample(n, 40, 4 + i)) {
          let sum = 0;
          let size = 0;
          for (let p = 0; p < k; p++) {
            const term = a[i * k + p] * b[p * n + j];
            sum += term;
            size += Math.abs(term);
          }
          errors.compare(c[i * n + j], sum, size, 8);
        }
      }
      return errors;
    },
  };
}
