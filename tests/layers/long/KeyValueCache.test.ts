/** Caches that are truncated and reordered at random. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';
import { same } from '../../support/same.js';

const [batch, maxLength, width] = [3, 12, 8];
const layer = new attention.MultiHeadAttention({
  numHiddens: width,
  numHeads: 4,
  numKvHeads: 2,
  rotary: {},
  seed: 1,
});
const next = new Random(2).tensor([batch, 1, width]);
const vector = (seed: number) => Array.from(new Random(seed).tensor([width]).data);

type Cache = ReturnType<typeof layer.createCache>;
/** The next token's output: the same bits if the rows hold the same tokens. */
function answer(cache: Cache): unknown {
  const result = layer.forward(next, next, next, { cache, needWeights: true });
  cache.truncate(cache.length - 1);
  return result;
}
/** One token at a time, so that both caches compute the same sums. */
function feed(cache: Cache, rows: readonly (readonly number[][])[], from = 0): void {
  for (let at = from; at < rows[0]!.length; ++at) {
    const x = { data: Float32Array.from(rows.flatMap((row) => row[at]!)), shape: [batch, 1, width] };
    layer.forward(x, x, x, { cache });
  }
}

test.each(['float32', 'float16', 'int8'] as const)(
  'a cache of %s that is cut and reordered answers as one that has only ever seen what is left',
  (cacheType) => {
    const step = fc.oneof(
      fc.record({ append: fc.integer({ min: 1, max: 4 }), seed: fc.nat({ max: 1e6 }) }),
      fc.record({ truncate: fc.nat({ max: 99 }) }),
      fc.record({ reorder: fc.array(fc.nat({ max: batch - 1 }), { minLength: batch, maxLength: batch }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const cache = layer.createCache({ batch, maxLength, cacheType });
        let rows: number[][][] = Array.from({ length: batch }, () => []);
        for (const step of steps) {
          const { length } = rows[0]!;
          if ('append' in step) {
            const more = Math.min(step.append, maxLength - 1 - length);
            rows = rows.map((row, b) => [
              ...row,
              ...Array.from({ length: more }, (_, i) => vector(step.seed + 7 * b + i)),
            ]);
            feed(cache, rows, length);
          } else if ('truncate' in step) {
            const kept = step.truncate % (length + 1);
            cache.truncate(kept);
            rows = rows.map((row) => row.slice(0, kept));
          } else {
            cache.reorder(step.reorder);
            rows = step.reorder.map((b) => rows[b]!);
          }
          expect(cache.length).toBe(rows[0]!.length);
        }
        const fresh = layer.createCache({ batch, maxLength, cacheType });
        feed(fresh, rows);
        expect(same(answer(cache), answer(fresh))).toBe(true);
        cache.dispose();
        fresh.dispose();
      }),
      { numRuns: 150 },
    );
  },
);
