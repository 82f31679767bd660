import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { rotaryEmbedding } from '../support/library.js';
import { Random } from '../support/random.js';

describe('rotaryEmbedding', () => {
  test('does not change position 0, and accepts empty arrays', () => {
    const x = new Random(8).tensor([1, 8]);
    expect([...rotaryEmbedding(x).data]).toEqual([...x.data]);
    expect(rotaryEmbedding({ data: new Float32Array(0), shape: [2, 0, 4] })).toEqual({
      data: new Float32Array(0),
      shape: [2, 0, 4],
    });
    expect(rotaryEmbedding({ data: new Float32Array(0), shape: [0, 3, 4] }).shape).toEqual([0, 3, 4]);
  });

  test('turns a pair of width 2 by one radian at position 1, and by minus one at position -1', () => {
    const [a, b] = rotaryEmbedding([[1, 0]], { offset: 1 }).data;
    expect([a, b]).toEqual([Math.fround(Math.cos(1)), Math.fround(Math.sin(1))]);
    const [c, d] = rotaryEmbedding([[1, 0]], { offset: -1 }).data;
    expect([c, d]).toEqual([a, -b!]);
  });

  test('accepts fractional positions', () => {
    const [a] = rotaryEmbedding([[1, 0]], { positions: [0.25], offset: 0.5 }).data;
    expect(a).toBe(Math.fround(Math.cos(0.75)));
  });

  const anyCall = fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    n: fc.integer({ min: 1, max: 9 }),
    half: fc.integer({ min: 1, max: 20 }),
    offset: fc.integer({ min: 0, max: 2 ** 20 }),
    shift: fc.integer({ min: 0, max: 2 ** 20 }),
    base: fc.constantFrom(100, 10000, 500000),
    interleaved: fc.boolean(),
  });

  test('does not change the norm of a row', () => {
    fc.assert(
      fc.property(anyCall, ({ seed, n, half, offset, base, interleaved }) => {
        const d = 2 * half;
        const x = new Random(seed).tensor([n, d]);
        const y = rotaryEmbedding(x, { offset, base, interleaved });
        for (let i = 0; i < n; ++i) {
          const norm = (data: Float32Array) => Math.hypot(...data.subarray(i * d, (i + 1) * d));
          // Each component is off by less than 4·EPS of its pair's norm, and so is the norm.
          expect(Math.abs(norm(y.data) - norm(x.data))).toBeLessThan(4 * EPS * norm(x.data));
        }
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test('gives scores that depend only on distances, so that shifting all positions changes nothing', () => {
    fc.assert(
      fc.property(anyCall, ({ seed, n, half, offset, shift, base, interleaved }) => {
        const d = 2 * half;
        const random = new Random(seed);
        const [q, k] = [random.tensor([n, d]), random.tensor([n, d])];
        const scores = (from: number) => {
          const options = { offset: from, base, interleaved };
          const [a, b] = [rotaryEmbedding(q, options).data, rotaryEmbedding(k, options).data];
          return Float64Array.from({ length: n * n }, (_, at) => {
            const [i, j] = [Math.floor(at / n) * d, (at % n) * d];
            return a.subarray(i, i + d).reduce((sum, value, e) => sum + value * b[j + e]!, 0);
          });
        };
        // A score is a sum of d products, whose factors are each off by less than 4·EPS of the largest element.
        const size = maxAbs(q.data) * maxAbs(k.data) * d;
        expectClose(
          { data: scores(offset + shift), shape: [n, n] },
          { data: scores(offset), shape: [n, n] },
          { atol: 8 * EPS * size },
        );
      }),
      { seed: 2, numRuns: 100 },
    );
  });
});
