/**
 * What options cost: rotary embedding compared with a copy; attention with relative positions, sinks and packed
 * sequences compared with attention without.
 */
import { normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/**
 * Rotary embedding of (1, heads, n, d) with pairs (j, j + d/2). The baseline copies the same bytes into wasm memory and
 * out.
 */
export function rotary({ heads, n, d }) {
  const x = normal(heads * n * d, 81);
  return {
    kind: 'rotary',
    params: { heads, n, d },
    inputs: { x },
    items: x.length,
    // After a garbage collection the next contender reuses the freed pages; a later one pays for fresh pages, which
    // costs more than the work itself. Without collections both pay the same.
    collect: false,
    check({ rotated, copied }) {
      const errors = new Errors();
      const y = rotated ?? copied;
      Errors.length('y', y, x.length);
      for (const row of sample(heads * n, 60, 82)) {
        for (let j = 0; j < d / 2; j++) {
          const angle = rotated ? (row % n) * 10000 ** ((-2 * j) / d) : 0;
          const [a, b] = [x[row * d + j], x[row * d + j + d / 2]];
          const scale = Math.abs(a) + Math.abs(b);
          errors.compare(y[row * d + j], a * Math.cos(angle) - b * Math.sin(angle), scale, 2);
          errors.compare(y[row * d + j + d / 2], b * Math.cos(angle) + a * Math.sin(angle), scale, 2);
        }
      }
      return errors;
    },
  };
}

/**
 * Attention (1, heads, n, d) with ALiBi's slopes, Shaw's tables (2·clip+1, d), sinks, or sequences of `packed` tokens.
 * The baseline is the same attention without them.
 */
export function positionedAttention({ heads, n, d, alibi = false, clip, sinks: sinking = false, packed = n }) {
  const [query, key, value] = [83, 84, 85].map((seed) => normal(heads * n * d, seed));
  const slopes = alibi ? Float32Array.from({ length: heads }, (_, h) => 2 ** ((-8 * (h + 1)) / heads)) : undefined;
  const [keyTable, valueTable] =
    clip === undefined ? [] : [86, 87].map((seed) => normal((2 * clip + 1) * d, seed, 0.3));
  const sinks = sinking ? normal(heads, 89) : undefined;
  const cuSeqlens = packed < n ? Int32Array.from({ length: n / packed + 1 }, (_, s) => s * packed) : undefined;
  const rowOf = (i, j) => Math.min(2 * clip, Math.max(0, j - i + clip));
  return {
    kind: 'positionedAttention',
    params: { heads, n, d, clip },
    inputs: { query, key, value },
    slopes,
    tables: keyTable && { keyTable, valueTable },
    options: { ...(sinks && { sinks }), ...(cuSeqlens && { cuSeqlens }) },
    flop: 4 * heads * n * packed * d,
    // As in rotary: half of the time of packed sequences goes to copies.
    ...(cuSeqlens && { collect: false }),
    check({ output, plain }) {
      const errors = new Errors();
      const result = output ?? plain;
      Errors.length('output', result, query.length);
      for (const row of sample(heads * n, 20, 88)) {
        const [at, h, i] = [row * d, Math.floor(row / n), row % n];
        const scores = new Float64Array(n + 1).fill(-Infinity);
        if (output && sinks) scores[n] = sinks[h];
        for (let j = 0; j < n; j++) {
          if (output && Math.floor(i / packed) !== Math.floor(j / packed)) continue;
          let sum = 0;
          for (let e = 0; e < d; e++) {
            const relative = output && keyTable ? keyTable[rowOf(i, j) * d + e] : 0;
            sum += query[at + e] * (key[(h * n + j) * d + e] + relative);
          }
          scores[j] = sum / Math.sqrt(d) - (output && slopes ? slopes[h] * (i - j) : 0);
        }
        const weights = softmax64(scores, n + 1);
        for (let e = 0; e < d; e++) {
          let [sum, scale] = [0, 0];
          for (let j = 0; j < n; j++) {
            const relative = output && valueTable ? valueTable[rowOf(i, j) * d + e] : 0;
            const mixed = weights[j] * (value[(h * n + j) * d + e] + relative);
            sum += mixed;
            scale += Math.abs(mixed);
          }
          // Scores reach several hundred for ALiBi's later keys and are off by a few roundings; each weight changes by
          // as many.
          errors.compare(result[at + e], sum, scale, output && slopes ? 1024 : 64);
        }
      }
      return errors;
    },
  };
}
