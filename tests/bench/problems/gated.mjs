/** Parts of the blocks of language models since 2023. */
import { normal, sample } from '../random.mjs';
import { Errors } from './check.mjs';

/** SwiGLU of x (rows, width): down(silu(gate(x))·up(x)), with `hiddens` gates. */
export function gatedFeedForward({ rows, width, hiddens }) {
  const x = normal(rows * width, 61);
  const [gate, up] = [62, 63].map((seed) => normal(hiddens * width, seed, 1 / Math.sqrt(width)));
  const down = normal(width * hiddens, 64, 1 / Math.sqrt(hiddens));
  return {
    kind: 'gatedFeedForward',
    params: { rows, width, hiddens },
    inputs: { x },
    parameters: { gate, up, down },
    flop: 6 * rows * width * hiddens,
    check({ output }) {
      const errors = new Errors();
      Errors.length('output', output, rows * width);
      for (const r of sample(rows, 6, 65)) {
        const row = x.subarray(r * width, (r + 1) * width);
        const hidden = Float64Array.from({ length: hiddens }, (_, h) => {
          const [g, u] = [gate, up].map((weight) => dot(row, weight.subarray(h * width, (h + 1) * width)));
          return (g / (1 + Math.exp(-g))) * u;
        });
        for (let c = 0; c < width; ++c) {
          const weight = down.subarray(c * hiddens, (c + 1) * hiddens);
          const size = weight.reduce((sum, value, h) => sum + Math.abs(value * hidden[h]), 0);
          errors.compare(output[r * width + c], dot(hidden, weight), size, 4);
        }
      }
      return errors;
    },
  };
}

/** RMSNorm over x (rows, width). */
export function norm({ rows, width }) {
  const [x, weight, bias] = [normal(rows * width, 66), normal(width, 67), normal(width, 68)];
  return {
    kind: 'norm',
    params: { rows, width },
    inputs: { x, weight, bias },
    items: rows * width,
    check({ normed }) {
      const errors = new Errors();
      // The library's own tests check the baseline's results.
      if (!normed) return errors;
      for (const r of sample(rows, 20, 69)) {
        const row = x.subarray(r * width, (r + 1) * width);
        const root = Math.sqrt(dot(row, row) / width + 1e-6);
        for (let c = 0; c < width; ++c) {
          const expected = (row[c] / root) * weight[c];
          errors.compare(normed[r * width + c], expected, Math.abs(expected) + 1e-30, 16);
        }
      }
      return errors;
    },
  };
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];
  return sum;
}
