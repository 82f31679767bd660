/** Masked places do not affect any gradient, whatever they contain. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as forward } from '../../reference/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward as reference } from '../../reference/scaledDotProductAttentionBackward.js';
import { attentionCall } from '../../support/attentionArbitrary.js';
import { expectGradients } from '../../support/gradientTolerance.js';
import { scaledDotProductAttentionBackward } from '../../support/library.js';
import { poisonRows } from '../../support/poison.js';
import { Random, type RandomTensor } from '../../support/random.js';

const POISONS = [NaN, Infinity, -Infinity, 3e38];

/** The rows whose elements all have magnitude 0, because nothing uses them. */
function unusedRows(magnitude: Float64Array, width: number): number[] {
  return Array.from({ length: magnitude.length / width }, (_, row) => row).filter((row) =>
    magnitude.subarray(row * width, (row + 1) * width).every((x) => x === 0),
  );
}

describe('scaledDotProductAttentionBackward', () => {
  test('does not depend on keys, values and table rows that no query sees, nor on queries that see no key', () => {
    let hidden = 0;
    fc.assert(
      fc.property(
        attentionCall([
          'validLens',
          'validLensPerQuery',
          'mask',
          'bias',
          'isCausal',
          'window',
          'softcap',
          'grouped',
          'relativeKeys',
          'relativeValues',
        ]),
        fc.constantFrom(...POISONS),
        fc.nat(),
        ({ query, key, value, options }, poison, seed) => {
          const Ev = value.shape.at(-1)!;
          const gradOutput = new Random(seed).tensor([...query.shape.slice(0, -1), Ev]);
          const expected = reference(gradOutput, query, key, value, options);
          const { masked, weights } = forward(query, key, value, options);
          // A value is used if it has a weight above 0. A weight may underflow to 0, so a key counts as unseen if its
          // value is unused.
          const unseen = unusedRows(expected.value.magnitude, Ev);
          const blind = unusedRows(weights.data, weights.shape.at(-1)!);
          hidden += unseen.length + blind.length;
          const given = { ...options };
          for (const name of ['relativeKeys', 'relativeValues'] as const) {
            const table = options[name] as RandomTensor | undefined;
            if (!table) continue;
            const rows = unusedRows(expected[name]!.magnitude, table.shape.at(-1)!);
            hidden += rows.length;
            given[name] = poisonRows(table, rows, poison);
          }
          const result = scaledDotProductAttentionBackward(
            poisonRows(gradOutput, blind, poison),
            poisonRows(query, blind, poison),
            poisonRows(key, unseen, poison),
            poisonRows(value, unseen, poison),
            given,
          );
          expectGradients(result, expected, masked);
          for (const { data, shape } of [result.key, result.value]) {
            const width = shape.at(-1)!;
            const parts = data.filter((_, at) => unseen.includes(Math.floor(at / width)));
            expect(parts).toEqual(new Float32Array(unseen.length * width));
          }
        },
      ),
      { seed: 51, numRuns: 250 },
    );
    expect(hidden).toBeGreaterThan(500);
  });

  test.each([5, 40, 300])(
    'does not let one key or query affect gradients of tokens that do not interact with it, of %i tokens',
    (n) => {
      const random = new Random(n);
      const [query, key] = [random.tensor([n, 6]), random.tensor([n, 6])];
      const [value, gradOutput] = [random.tensor([n, 3]), random.tensor([n, 3])];
      const backward = (g: RandomTensor, q: RandomTensor, k: RandomTensor, v: RandomTensor) =>
        scaledDotProductAttentionBackward(g, q, k, v, { isCausal: true });
      const clean = backward(gradOutput, query, key, value);
      const at = Math.floor(n / 2);
      for (const poison of POISONS) {
        // Earlier queries do not see the key.
        const keyed = backward(gradOutput, query, poisonRows(key, [at], poison), poisonRows(value, [at], poison));
        expect(keyed.query.data.subarray(0, at * 6)).toEqual(clean.query.data.subarray(0, at * 6));
        // The query does not see later keys, and does not interact with other queries.
        for (const asked of [
          backward(gradOutput, poisonRows(query, [at], poison), key, value),
          backward(poisonRows(gradOutput, [at], poison), query, key, value),
        ]) {
          const behind = (data: Float32Array, width: number) => data.subarray((at + 1) * width);
          expect(behind(asked.key.data, 6)).toEqual(behind(clean.key.data, 6));
          expect(behind(asked.value.data, 3)).toEqual(behind(clean.value.data, 3));
          expect(behind(asked.query.data, 6)).toEqual(behind(clean.query.data, 6));
          expect(asked.query.data.subarray(0, at * 6)).toEqual(clean.query.data.subarray(0, at * 6));
        }
      }
    },
  );

  test('returns zeros if no query may attend to anything', () => {
    const x = new Random(3).tensor([2, 4, 5]);
    const bias = new Random(4).tensor([4, 4]);
    for (const options of [
      { validLens: [0, 0] },
      { mask: [[false]] },
      { window: [0, -1] as const, isCausal: true, causalOffset: -9 },
    ]) {
      const result = scaledDotProductAttentionBackward(x, x, x, x, { ...options, bias });
      for (const { data } of [result.query, result.key, result.value, result.bias!]) {
        expect(data).toEqual(new Float32Array(data.length));
      }
    }
  });
});
