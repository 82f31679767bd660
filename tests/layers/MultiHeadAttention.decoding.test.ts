/** Decoding token by token with a cache gives what one causal call over all tokens gives. */
import { describe, expect, test } from '@jest/globals';
import { multiHeadAttention as reference } from '../reference/multiHeadAttention.js';
import { expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { OUTPUT_ATOL, outputTolerance } from '../support/multiHeadTolerance.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';

describe.each([
  { numHeads: 4, numKvHeads: 4, name: 'as many key/value heads as query heads' },
  { numHeads: 4, numKvHeads: 2, name: 'grouped heads' },
  { numHeads: 4, numKvHeads: 1, name: 'one key/value head' },
])('MultiHeadAttention with a cache and $name', ({ numHeads, numKvHeads }) => {
  const n = 20;
  const layer = new attention.MultiHeadAttention({
    numHiddens: 24,
    numHeads,
    numKvHeads,
    bias: true,
    seed: 3,
  });
  const x = new Random(1).tensor([2, n, 24]);
  const full = layer.forward(x, x, x, { isCausal: true, needWeights: true });

  test.each([
    ['one by one', Array.from({ length: n }, () => 1)],
    ['a prompt, then one by one', [9, ...Array.from({ length: n - 9 }, () => 1)]],
    ['in pieces', [3, 5, 1, 7, 4]],
    ['all at once', [n]],
  ])('gives the outputs of one causal call: %s', (_how, steps) => {
    const cache = layer.createCache({ batch: 2, maxLength: n });
    let at = 0;
    for (const step of steps) {
      const piece = tokens(x, at, at + step);
      expect(cache.length).toBe(at);
      const { output, weights } = layer.forward(piece, piece, piece, {
        isCausal: true,
        cache,
        needWeights: true,
      });
      const expected = tokens(full.output, at, at + step);
      expectClose(output, expected, outputTolerance(expected));
      expect(weights!.shape).toEqual([2, numHeads, step, at + step]);
      at += step;
    }
    expect(cache.length).toBe(n);
    expect(cache.maxLength).toBe(n);
    cache.dispose();
  });

  test('agrees with the oracle in one causal call', () => {
    const expected = reference(x, x, x, { numHeads, numKvHeads, state: layer.stateDict() }, { isCausal: true });
    expectClose(full.output, expected.output, outputTolerance(expected.output));
  });

  test('gives the same with pastKey and pastValue instead of a cache', () => {
    const none = { data: new Float32Array(0), shape: [2, numKvHeads, 0, 24 / numHeads] };
    let past: { pastKey: typeof none; pastValue: typeof none } = { pastKey: none, pastValue: none };
    for (let at = 0; at < 6; ++at) {
      const piece = tokens(x, at, at + 1);
      const result = layer.forward(piece, piece, piece, { isCausal: true, ...past });
      expectClose(result.output, tokens(full.output, at, at + 1), { atol: OUTPUT_ATOL });
      past = { pastKey: result.presentKey as never, pastValue: result.presentValue as never };
      expect(past.pastKey.shape).toEqual([2, numKvHeads, at + 1, 24 / numHeads]);
    }
  });

  test('starts again from the first position after a reset of the cache', () => {
    const cache = layer.createCache({ batch: 2, maxLength: 8 });
    const [first, second] = [tokens(x, 0, 5), tokens(x, 5, 8)];
    layer.forward(first, first, first, { isCausal: true, cache });
    cache.reset();
    expect(cache.length).toBe(0);
    const again = layer.forward(second, second, second, { isCausal: true, cache }).output;
    expectClose(again, layer.forward(second, second, second, { isCausal: true }).output, {
      atol: OUTPUT_ATOL,
    });
  });
});

describe('a KeyValueCache', () => {
  const make = () => new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2, seed: 1 });
  const layer = make();
  const random = new Random(2);
  const x = random.tensor([1, 3, 8]);

  test('refuses more tokens than it has room for, and keeps its content', () => {
    const cache = layer.createCache({ batch: 1, maxLength: 4 });
    layer.forward(x, x, x, { cache, isCausal: true });
    expectRejected('MultiHeadAttention', 'RangeError', () => layer.forward(x, x, x, { cache, isCausal: true }));
    expect(cache.length).toBe(3);
    const last = random.tensor([1, 1, 8]);
    const all = { data: Float32Array.of(...x.data, ...last.data), shape: [1, 4, 8] };
    const whole = layer.forward(all, all, all, { isCausal: true }).output.data.subarray(24);
    const { output } = layer.forward(last, last, last, { cache, isCausal: true });
    expectClose(output, { data: whole, shape: [1, 1, 8] }, { atol: OUTPUT_ATOL });
    expect(cache.length).toBe(4);
  });

  test('does not change in a refused call', () => {
    const cache = layer.createCache({ batch: 1, maxLength: 9 });
    layer.forward(x, x, x, { cache });
    expectRejected('MultiHeadAttention', 'RangeError', () => layer.forward(x, x, x, { cache, validLens: [-1] }));
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, 'x' as never, { cache }));
    expect(cache.length).toBe(3);
  });

  test('is refused by other layers and for other batches, and so are wrong caches and pasts', () => {
    const cache = layer.createCache({ batch: 1, maxLength: 9 });
    const two = random.tensor([2, 3, 8]);
    const past = random.tensor([1, 2, 3, 4]);
    for (const [kind, call] of [
      ['RangeError', () => make().forward(x, x, x, { cache })],
      ['RangeError', () => layer.forward(two, two, two, { cache })],
      ['TypeError', () => layer.forward(x, x, x, { cache: {} as never })],
      ['RangeError', () => layer.forward(x, x, x, { cache, pastKey: past, pastValue: past })],
      ['RangeError', () => layer.forward(x, x, x, { pastKey: past })],
      ['RangeError', () => layer.forward(x, x, x, { pastKey: past, pastValue: random.tensor([1, 2, 4, 4]) })],
    ] as const) {
      expectRejected('MultiHeadAttention', kind, call);
    }
    expect(cache.length).toBe(0);
  });

  test.each([
    ['no options', 'TypeError', undefined],
    ['no batch', 'TypeError', { maxLength: 3 }],
    ['no maxLength', 'TypeError', { batch: 1 }],
    ['batch 0', 'RangeError', { batch: 0, maxLength: 3 }],
    ['a fractional maxLength', 'RangeError', { batch: 1, maxLength: 1.5 }],
    ['a negative maxLength', 'RangeError', { batch: 1, maxLength: -1 }],
  ] as const)('cannot be made with %s', (_what, kind, options) => {
    expectRejected('(MultiHeadAttention|createCache)', kind, () => layer.createCache(options as never));
  });

  test('throws when used after dispose', () => {
    const cache = layer.createCache({ batch: 1, maxLength: 9 });
    cache.dispose();
    cache.dispose();
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, x, { cache }));
    expectRejected('KeyValueCache', 'TypeError', () => cache.reset());
  });

  test('is refused with the byte count if it does not fit into memory, and the layer stays usable', () => {
    const call = () => layer.createCache({ batch: 2 ** 10, maxLength: 2 ** 20 });
    expect(call).toThrow(RangeError);
    expect(call).toThrow(/\d{8,} .*bytes/);
    expect(layer.forward(x, x, x).output.shape).toEqual([1, 3, 8]);
  });
});
