/** Caches that are cut and reordered: speculative decoding and beam search. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attention, expectNoGrowth } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';
import { same } from '../support/same.js';
import { tokens } from '../support/tokens.js';
import '../support/fuzzSeed.js';

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
/** What the next token sees: to the bit, if the rows hold the same tokens. */
function answer(cache: Cache): unknown {
  const result = layer.forward(next, next, next, { cache, needWeights: true });
  cache.truncate(cache.length - 1);
  return result;
}
/** A token at a time, so that both caches compute the same sums. */
function feed(cache: Cache, rows: readonly (readonly number[][])[], from = 0): void {
  for (let at = from; at < rows[0]!.length; ++at) {
    const x = { data: Float32Array.from(rows.flatMap((row) => row[at]!)), shape: [batch, 1, width] };
    layer.forward(x, x, x, { cache });
  }
}

describe.each(['float32', 'float16', 'int8'] as const)(
  'a cache of %s that is cut and reordered',
  (cacheType) => {
    test('answers as one that has only ever seen what is left', () => {
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
    });

    test('goes on after a guess that was wrong', () => {
      const x = new Random(5).tensor([batch, 10, width]);
      const [piece, wrong, right] = [tokens(x, 0, 4), tokens(x, 4, 7), tokens(x, 7, 10)];
      const cache = layer.createCache({ batch, maxLength: 7, cacheType });
      layer.forward(piece, piece, piece, { cache });
      layer.forward(wrong, wrong, wrong, { cache });
      cache.truncate(4);
      const { output } = layer.forward(right, right, right, { cache, isCausal: true });
      const other = layer.createCache({ batch, maxLength: 7, cacheType });
      layer.forward(piece, piece, piece, { cache: other });
      expect(output).toEqual(layer.forward(right, right, right, { cache: other, isCausal: true }).output);
    });

    const cache = layer.createCache({ batch, maxLength, cacheType });
    test.each([
      ['a length beyond the present one', 'RangeError', () => cache.truncate(1)],
      ['a negative length', 'RangeError', () => cache.truncate(-1)],
      ['a fractional length', 'RangeError', () => cache.truncate(0.5)],
      ['a length NaN', 'RangeError', () => cache.truncate(NaN)],
      ['no length', 'TypeError', () => cache.truncate(undefined as never)],
      ['a length that is a string', 'TypeError', () => cache.truncate('0' as never)],
      ['an order of fewer rows', 'RangeError', () => cache.reorder([0, 1])],
      ['an order of more rows', 'RangeError', () => cache.reorder([0, 1, 2, 0])],
      ['a row beyond the batch', 'RangeError', () => cache.reorder([0, 1, 3])],
      ['a row of 2^32', 'RangeError', () => cache.reorder([0, 1, 2 ** 32])],
      ['a negative row', 'RangeError', () => cache.reorder([0, 1, -1])],
      ['a fractional row', 'RangeError', () => cache.reorder([0, 1, 0.5])],
      ['an order that is nested', 'RangeError', () => cache.reorder([[0, 1, 2]] as never)],
      ['no order', 'TypeError', () => cache.reorder(undefined as never)],
      ['rows that are strings', 'TypeError', () => cache.reorder(['0', '1', '2'] as never)],
    ] as const)('refuses %s with a %s', (_, kind, call) => {
      expectRejected('KeyValueCache', kind, call);
      expect(cache.length).toBe(0);
    });

    test('takes any form of an order, and reads it once', () => {
      const x = new Random(6).tensor([batch, 2, width]);
      const answers = [[2, 0, 0], Int32Array.of(2, 0, 0), { 0: 2, 1: 0, 2: 0, length: 3 }].map((order) => {
        const cache = layer.createCache({ batch, maxLength, cacheType });
        layer.forward(x, x, x, { cache });
        cache.reorder(order);
        return answer(cache);
      });
      expect(same(answers[1], answers[0]) && same(answers[2], answers[0])).toBe(true);
      const disposed = layer.createCache({ batch, maxLength, cacheType });
      const order = { length: 3, 1: 1, 2: 2, get 0() { disposed.dispose(); return 0; } }; // prettier-ignore
      expect(() => disposed.reorder(order)).toThrow(/got a disposed one$/);
      expect(() => disposed.truncate(0)).toThrow(/got a disposed one$/);
    });

    test('keeps its memory', () => {
      const cache = layer.createCache({ batch, maxLength, cacheType });
      expectNoGrowth(200, () => {
        layer.forward(next, next, next, { cache });
        cache.reorder([2, 1, 0]);
        cache.truncate(0);
      });
    });
  },
);
