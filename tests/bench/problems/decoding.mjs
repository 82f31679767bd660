import { product } from '../peers/dense.mjs';
import { normal } from '../random.mjs';
import { Errors } from './check.mjs';
import { multiHeadRow, parameters } from './multi-head.mjs';

/** x·Wᵀ (past, width) rearranged to (heads, past, d), the layout of every peer's cache. */
function projected(x, weight, past, width, heads) {
  const transposed = new Float32Array(width * width);
  for (let r = 0; r < width; r++) for (let e = 0; e < width; e++) transposed[e * width + r] = weight[r * width + e];
  const flat = product(x, transposed, past, width, width);
  const d = width / heads;
  const out = new Float32Array(past * width);
  for (let i = 0; i < past; i++) {
    for (let c = 0; c < width; c++) out[(Math.floor(c / d) * past + i) * d + (c % d)] = flat[i * width + c];
  }
  return out;
}

/**
 * Multi-head attention of one new token (1, 1, width) with a cache of `past` tokens: the token attends to past + 1
 * keys.
 */
export function decoding({ past, width, heads }) {
  const history = normal(past * width, 41);
  const token = normal(width, 42);
  const weightsOf = parameters(width);
  const all = new Float32Array((past + 1) * width);
  all.set(history);
  all.set(token, past * width);
  let cache;
  return {
    kind: 'decoding',
    params: { past, width, heads },
    inputs: { token, history },
    parameters: weightsOf,
    /** The projected history (heads, past, d), for peers whose cache is an input. Computed on first use. */
    get cache() {
      return (cache ??= {
        pastKey: projected(history, weightsOf.wk, past, width, heads),
        pastValue: projected(history, weightsOf.wv, past, width, heads),
      });
    },
    flop: width * (8 * width + 4 * (past + 1)),
    check({ output }) {
      const errors = new Errors();
      Errors.length('output', output, width);
      const row = multiHeadRow(weightsOf, all, token, { width, heads, valid: past + 1, keys: past + 1 });
      // A mean of 4096 values is about 1/64 of their size, so their roundings are that much larger relative to it.
      for (let e = 0; e < width; e++) errors.compare(output[e], row.output[e], row.scale[e], 256);
      return errors;
    },
  };
}
