/**
 * The option `sinks`, forward and backward. Its combinations with other options are among those of the property tests.
 */
import { describe, expect, test } from '@jest/globals';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { scaledDotProductAttention, scaledDotProductAttentionBackward } from '../support/library.js';
import { Random } from '../support/random.js';

describe('sinks', () => {
  test.each(loadFixtures('modern', /^sinks/))('agree with PyTorch on $name', (fixture) => {
    const [query, key, value, sinks, g] = ['query', 'key', 'value', 'sinks', 'G'].map((name) => fixture.input(name));
    const options = { sinks: sinks!, isCausal: fixture.attributes.causal as boolean };
    const results = { needWeights: true, needLogSumExp: true };
    const { output, weights, logSumExp } = scaledDotProductAttention(query!, key!, value!, {
      ...options,
      ...results,
    });
    expectFixture(output, fixture.output('output'));
    expectFixture(weights, fixture.output('weights'));
    expectFixture(logSumExp, fixture.output('logsumexp'));
    const gradients = scaledDotProductAttentionBackward(g!, query!, key!, value!, options);
    for (const name of ['query', 'key', 'value', 'sinks'] as const) {
      expectFixture(gradients[name], fixture.output(`grad:${name}`));
    }
  });

  // Few queries are not packed, and many keys are several blocks.
  const random = new Random(3);
  const calls = [
    [3, 20],
    [40, 600],
  ].map(([L, S]) => {
    const tensors = [random.tensor([2, 2, L!, 8]), random.tensor([2, 2, S!, 8]), random.tensor([2, 2, S!, 8])];
    return [L!, S!, tensors as [never, never, never]] as const;
  });

  test.each(calls)(
    'are the logSumExp of a query that sees no key, and change nothing else of it: %i, %i',
    (L, S, call) => {
      const sinks = [-3, 5];
      const ways = [
        { validLens: [0, S] },
        { mask: { data: new Uint8Array(2 * S).fill(1, S), shape: [2, 1, 1, S] } },
        { bias: { data: new Float32Array(2 * S).fill(-Infinity, 0, S), shape: [2, 1, 1, S] } },
      ];
      for (const way of ways) {
        const options = { ...way, sinks, needWeights: true, needLogSumExp: true };
        const { output, weights, logSumExp } = scaledDotProductAttention(...call, options);
        const [half, all] = [output.data.length / 2, logSumExp!.data.length / 2];
        expect(output.data.subarray(0, half).every((x) => x === 0)).toBe(true);
        expect(output.data.subarray(half).every((x) => x !== 0)).toBe(true);
        expect(weights!.data.subarray(0, weights!.data.length / 2).every((x) => x === 0)).toBe(true);
        expect([...logSumExp!.data.subarray(0, all)]).toEqual(sinks.flatMap((sink) => Array<number>(L).fill(sink)));
        const gradients = scaledDotProductAttentionBackward(output, ...call, options);
        expect(gradients.query.data.subarray(0, half).every((x) => x === 0)).toBe(true);
        // The second sequence alone has the same gradient.
        const alone = call.map(({ data, shape }: { data: Float32Array; shape: number[] }) => ({
          data: data.slice(data.length / 2),
          shape: [1, ...shape.slice(1)],
        })) as unknown as [never, never, never];
        const g = { data: output.data.slice(half), shape: [1, 2, L, 8] };
        expect(gradients.sinks).toEqual(scaledDotProductAttentionBackward(g, ...alone, { sinks }).sinks);
      }
    },
  );

  test.each(calls)('of -Infinity change nothing: %i, %i', (_L, _S, call) => {
    const results = { isCausal: true, needWeights: true, needLogSumExp: true };
    const none = { data: Float32Array.of(-Infinity, -Infinity), shape: [2] };
    const without = scaledDotProductAttention(...call, results);
    expect(scaledDotProductAttention(...call, { ...results, sinks: none })).toEqual(without);
    const { sinks, ...gradients } = scaledDotProductAttentionBackward(without.output, ...call, {
      isCausal: true,
      sinks: none,
    });
    expect(sinks!.data).toEqual(new Float32Array(2));
    expect(gradients).toEqual(scaledDotProductAttentionBackward(without.output, ...call, { isCausal: true }));
  });

  test('far above all scores make the weights 0, and far below do not change them', () => {
    const call = calls[0]![2];
    const { output, logSumExp } = scaledDotProductAttention(...call, {
      sinks: [1e30, -1e30],
      needLogSumExp: true,
    });
    const plain = scaledDotProductAttention(...call);
    for (const [b, size] of [
      [0, 24],
      [1, 24],
    ] as const) {
      expect(output.data.subarray(2 * b * size, (2 * b + 1) * size)).toEqual(new Float32Array(size));
      expect(logSumExp!.data[6 * b]).toBe(Math.fround(1e30));
      const other = [(2 * b + 1) * size, (2 * b + 2) * size] as const;
      expect(output.data.subarray(...other)).toEqual(plain.output.data.subarray(...other));
    }
  });
});
