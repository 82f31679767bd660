import { normal } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/**
 * d2l's first example of scaled dot-product attention: two sequences with one query and ten keys each, of which two and
 * six are valid.
 */
export function textbookAttention() {
  const [batch, keys, width, valueWidth] = [2, 10, 2, 4];
  const lengths = [2, 6];
  const query = normal(batch * width, 61);
  const key = normal(batch * keys * width, 62);
  const value = normal(batch * keys * valueWidth, 63);
  return {
    kind: 'textbookAttention',
    params: { batch, keys, width, valueWidth },
    inputs: { query, key, value },
    lengths,
    flop: 2 * batch * keys * (width + valueWidth),
    check({ output }) {
      const errors = new Errors();
      Errors.length('output', output, batch * valueWidth);
      for (let b = 0; b < batch; b++) {
        const scores = Float64Array.from({ length: keys }, (_, j) => {
          const at = (b * keys + j) * width;
          return (query[b * width] * key[at] + query[b * width + 1] * key[at + 1]) / Math.sqrt(width);
        });
        const weights = softmax64(scores, lengths[b]);
        for (let e = 0; e < valueWidth; e++) {
          let [sum, scale] = [0, 0];
          for (let j = 0; j < lengths[b]; j++) {
            const term = weights[j] * value[(b * keys + j) * valueWidth + e];
            sum += term;
            scale += Math.abs(term);
          }
          errors.compare(output[b * valueWidth + e], sum, scale, 32);
        }
      }
      return errors;
    },
  };
}
