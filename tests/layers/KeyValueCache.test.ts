/** Truncated and reordered caches, as in speculative decoding and beam search. long/ does both at random. */
import { describe, expect, test } from '@jest/globals';
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

type Cache = ReturnType<typeof layer.createCache>;
/** The next token's output: the same bits if the rows hold the same tokens. */
function answer(cache: Cache): unknown {
  const result = layer.forward(next, next, next, { cache, needWeights: true });
  cache.truncate(cache.length - 1);
  return result;
}
describe.each(['float32', 'float16', 'int8'] as const)('a truncated and reordered cache of %s', (cacheType) => {
  test('continues after a wrong guess', () => {
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

  test('accepts an order in any form, but not after dispose', () => {
    const x = new Random(6).tensor([batch, 2, width]);
    const answers = [[2, 0, 0], Int32Array.of(2, 0, 0), { 0: 2, 1: 0, 2: 0, length: 3 }].map((order) => {
      const cache = layer.createCache({ batch, maxLength, cacheType });
      layer.forward(x, x, x, { cache });
      cache.reorder(order);
      return answer(cache);
    });
    expect(same(answers[1], answers[0]) && same(answers[2], answers[0])).toBe(true);
    const disposed = layer.createCache({ batch, maxLength, cacheType });
    disposed.dispose();
    expect(() => disposed.reorder([0, 1, 2])).toThrow(/got a disposed one$/);
    expect(() => disposed.truncate(0)).toThrow(/got a disposed one$/);
  });

  test('keeps its memory allocated', () => {
    const cache = layer.createCache({ batch, maxLength, cacheType });
    expectNoGrowth(200, () => {
      layer.forward(next, next, next, { cache });
      cache.reorder([2, 1, 0]);
      cache.truncate(0);
    });
  });
});
