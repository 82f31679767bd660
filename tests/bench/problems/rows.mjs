/** Problems whose speed depends on memory or on elementary functions. */
import { generator, normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/** P (length, width): sines and cosines, interleaved. Peers need the positions as an input. */
export function table({ length, width }) {
  return {
    kind: 'table',
    params: { length, width },
    inputs: { positions: Float32Array.from({ length }, (_, i) => i) },
    items: length * width,
    check({ table: p, copied }) {
      const errors = new Errors();
      Errors.length('table', copied ?? p, length * width);
      if (copied) return errors;
      for (const i of sample(length, 60, 51)) {
        for (let c = 0; c < width; c++) {
          const angle = i * Math.pow(10000, (-2 * (c >> 1)) / width);
          const expected = c % 2 ? Math.cos(angle) : Math.sin(angle);
          // Peers with float32 angles are off by half an ulp of the position, in the angle and so in its sine.
          errors.compare(p[i * width + c], expected, Math.max(1, length), 2);
        }
      }
      return errors;
    },
    /** The largest error beyond half an ulp of the result plus 1e-8, the accuracy that this library promises. */
    exactness({ table: p }) {
      if (!p) return undefined;
      let beyond = -Infinity;
      for (const i of sample(length, 200, 52)) {
        for (let c = 0; c < width; c++) {
          const angle = i * Math.pow(10000, (-2 * (c >> 1)) / width);
          const expected = c % 2 ? Math.cos(angle) : Math.sin(angle);
          const halfUlp = 2 ** (Math.floor(Math.log2(Math.abs(expected) || 2 ** -126)) - 24);
          beyond = Math.max(beyond, Math.abs(p[i * width + c] - expected) - halfUlp - 1e-8);
        }
      }
      return beyond;
    },
  };
}

/** X (batch, length, width) + P, where P is already computed. */
export function addTable({ batch, length, width }) {
  const x = normal(batch * length * width, 53);
  const p = new Float32Array(length * width);
  for (let i = 0; i < length; i++) {
    for (let c = 0; c < width; c++) {
      const angle = i * Math.pow(10000, (-2 * (c >> 1)) / width);
      p[i * width + c] = c % 2 ? Math.cos(angle) : Math.sin(angle);
    }
  }
  return {
    kind: 'addTable',
    params: { batch, length, width },
    inputs: { x },
    table: p,
    items: x.length,
    check({ sum, copied }) {
      const errors = new Errors();
      Errors.length('sum', copied ?? sum, x.length);
      if (copied) return errors;
      for (const i of sample(x.length, 20000, 54)) {
        const expected = x[i] + p[i % p.length];
        errors.compare(sum[i], expected, Math.abs(x[i]) + 1, 2);
      }
      return errors;
    },
  };
}

/**
 * Softmax of each row of x (rows, cols). `masked`: only over its first `lengths[i]` entries; the others become zero.
 */
export function softmax({ rows, cols, masked = false }) {
  const x = normal(rows * cols, 55, 3);
  const draw = generator(56);
  const lengths = masked ? Int32Array.from({ length: rows }, () => 1 + Math.floor(draw() * cols)) : undefined;
  return {
    kind: 'softmax',
    params: { rows, cols, masked },
    inputs: { x },
    lengths,
    items: rows * cols,
    check({ y, copied }) {
      const errors = new Errors();
      Errors.length('y', copied ?? y, rows * cols);
      if (copied) return errors;
      for (const i of sample(rows, 12, 57)) {
        const weights = softmax64(x.subarray(i * cols, (i + 1) * cols), lengths ? lengths[i] : cols);
        for (let j = 0; j < cols; j++) {
          errors.compare(y[i * cols + j], weights[j], weights[j] + 1e-30, 32);
        }
      }
      return errors;
    },
  };
}
