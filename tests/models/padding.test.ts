/** A row gives the same numbers behind padding, on either side, as alone. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tensor } from 'wasm-attention';
import type { Model } from 'wasm-attention/models';
import { EPS, maxAbs } from '../support/close.js';
import { checkpoint, checkpoints, open, type Checkpoint } from './fixtures.js';

/** Sums of other orders: each row is as exact as in the tests against PyTorch, and two of them are compared. */
const TOLERANCE = 64 * EPS;

/** Row `b`'s numbers at tokens [from, from + count), of a tensor (B, T, …). */
function tokensOf({ data, shape }: Tensor, b: number, from: number, count: number): Float32Array {
  const [, tokens = 0, ...rest] = shape;
  const width = rest.reduce((product, axis) => product * axis, 1);
  return data.subarray((b * tokens + from) * width, (b * tokens + from + count) * width);
}

function rowOf({ data, shape }: Tensor, b: number): Float32Array {
  const width = data.length / shape[0]!;
  return data.subarray(b * width, (b + 1) * width);
}

function expectSame(actual: Float32Array, expected: Float32Array, layers: number): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(1, maxAbs(expected));
  const worst = actual.reduce((max, x, i) => Math.max(max, Math.abs(x - expected[i]!)), 0);
  expect(worst / scale).toBeLessThanOrEqual(layers * TOLERANCE);
}

/** Rows of unequal length within the checkpoint's first row of ids, and the padding before each. */
function batches({ expected }: Checkpoint): fc.Arbitrary<(readonly [row: number[], before: number])[]> {
  const [ids] = expected.ids as [number[]];
  const row = fc.tuple(fc.nat(ids.length - 1), fc.integer({ min: 1, max: ids.length }), fc.nat(3));
  return fc.array(
    row.map(([from, count, before]) => [ids.slice(from, from + count), before] as const),
    { minLength: 1, maxLength: 4 },
  );
}

describe.each(checkpoints)('%s', (name) => {
  const files = checkpoint(name);
  const { padId = 0 } = files.architecture;

  async function opened(config: object = {}): Promise<Model> {
    return open({ ...files, config: { ...files.config, ...config } });
  }

  test('a padded batch is like single rows', async () => {
    const model = await opened();
    fc.assert(
      fc.property(batches(files), fc.nat(3), (rows, after) => {
        const longest = Math.max(...rows.map(([row, before]) => before + row.length)) + after;
        const padded = (row: readonly number[], before: number, pad: number): number[] => [
          ...Array<number>(before).fill(pad),
          ...row,
          ...Array<number>(longest - before - row.length).fill(pad),
        ];
        const ids = rows.map(([row, before]) => padded(row, before, padId));
        const attentionMask = rows.map(([row, before]) => padded(Array<number>(row.length).fill(1), before, 0));
        const together = model.forward(ids, { attentionMask, needHiddenStates: true });
        const embeddings = model.embed(ids, { attentionMask });
        rows.forEach(([row, before], b) => {
          const alone = model.forward([row], { needHiddenStates: true });
          together.hiddenStates!.forEach((states, i) => {
            const each = tokensOf(states, b, before, row.length);
            expectSame(each, alone.hiddenStates![i]!.data, model.numLayers);
          });
          if (alone.pooled) expectSame(rowOf(together.pooled!, b), alone.pooled.data, model.numLayers);
          if (alone.logits) {
            const isEach = together.logits!.shape[1] === longest && alone.logits.shape[1] === row.length;
            const logits = isEach ? tokensOf(together.logits!, b, before, row.length) : rowOf(together.logits!, b);
            expectSame(logits, alone.logits.data, model.numLayers);
          }
          expectSame(rowOf(embeddings, b), model.embed([row]).data, model.numLayers);
        });
      }),
      { numRuns: 20 },
    );
    model.dispose();
  });

  const rotary = files.architecture.rotary?.find(Boolean);
  if (rotary) {
    const [row] = files.expected.ids as [number[]];
    const { length } = row;
    const pairs = rotary.dim / 2;
    const factors = (base: number): number[] => Array.from({ length: pairs }, (_, i) => base + i / pairs);
    // Phi-3 knows longrope alone, by a length of its own.
    const isPhi3 = files.architecture.family === 'phi3';
    const scalings: [string, object][] = [
      ['dynamic', { rope_type: 'dynamic', factor: 3 }],
      [
        'longrope',
        {
          rope_type: 'longrope',
          ...(!isPhi3 && { factor: 4 }),
          original_max_position_embeddings: length,
          short_factor: factors(1),
          long_factor: factors(3),
        },
      ],
    ];
    test.each(isPhi3 ? scalings.slice(1) : scalings)('padding is no length: %s', async (type, scaling) => {
      const config = { rope_scaling: scaling, rope_parameters: null };
      const model = await opened({
        ...config,
        ...(type === 'dynamic' && { max_position_embeddings: length }),
        ...(isPhi3 && { original_max_position_embeddings: length }),
      });
      const alone = model.forward([row]).hidden.data;
      const attentionMask = [[...row.map(() => 1), 0, 0, 0]];
      for (const [pad, mask] of [
        [(ids: number[]) => [padId, padId, padId, ...ids], [attentionMask[0]!.toReversed()]],
        [(ids: number[]) => [...ids, padId, padId, padId], attentionMask],
      ] as const) {
        const from = mask[0].indexOf(1);
        const { hidden } = model.forward([pad(row)], { attentionMask: mask });
        expectSame(tokensOf(hidden, 0, from, row.length), alone, model.numLayers);
      }
      model.dispose();
    });
  }
});
