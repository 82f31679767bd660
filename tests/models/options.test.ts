/** The options of a pass, and caches. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tensor } from 'wasm-attention';
import { EPS, expectClose } from '../support/close.js';
import { checkpoint, checkpoints, open } from './fixtures.js';

/** Roundings of hidden states of size 1 to 4, through a few layers. */
const CLOSE = 64 * EPS;
const rowOf = ({ data, shape }: Tensor, row: number): Float32Array => {
  const width = shape.at(-1)!;
  return data.subarray(row * width, (row + 1) * width);
};
const expectNear = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
  expectClose({ data: a, shape: [a.length] }, { data: b, shape: [b.length] }, { atol: CLOSE });
};

describe.each(checkpoints)('%s', (name) => {
  const { config, bytes, expected, architecture } = checkpoint(name);
  const files = { config, bytes };
  const [ids] = expected.ids as [number[]];
  // Some families do not count padding tokens as positions.
  const full = ids.map((id) => (id < 2 ? 2 : id));

  test('a row gives the same in a batch as alone, however long the others are', async () => {
    const model = await open(files);
    const rows = [full.slice(0, 3), full.slice(0, 6), full.slice(2, 3)];
    const together = model.forward(rows);
    const masks = rows.map((row) => Array.from({ length: 6 }, (_, i) => Number(i < row.length)));
    const padded = rows.map((row) => [...row, ...Array<number>(6 - row.length).fill(Number(config.pad_token_id ?? 0))]);
    const masked = model.forward(padded, { attentionMask: masks });
    const last = model.forward(rows, { lastOnly: true });
    const embedded = model.embed(rows, { normalize: true });
    rows.forEach((row, b) => {
      const alone = model.forward(row);
      row.forEach((_, t) => {
        expectNear(rowOf(together.hidden, 6 * b + t), rowOf(alone.hidden, t));
        expectNear(rowOf(masked.hidden, 6 * b + t), rowOf(alone.hidden, t));
      });
      if (alone.logits) {
        // Results of the last token, or of the sequence.
        const { data, shape } = last.logits!;
        if (shape.length === 3) expect(shape).toEqual([3, 1, alone.logits.shape[2]]);
        const width = data.length / 3;
        expectNear(data.slice(width * b, width * (b + 1)), alone.logits.data.slice(-width));
      }
      const mean = new Float64Array(model.numHiddens);
      row.forEach((_, t) => rowOf(alone.hidden, t).forEach((x, i) => (mean[i]! += x / row.length)));
      expectNear(model.embed(row).data, mean);
      const length = Math.hypot(...mean);
      expectNear(
        rowOf(embedded, b),
        mean.map((x) => x / length),
      );
    });
    model.dispose();
  });

  test('the last token is the last that the mask shows, also after padding on the left', async () => {
    const model = await open(files);
    for (const [mask, last] of [
      [[0, 0, 1, 1], 3],
      [[0, 1, 1, 0], 2],
    ] as const) {
      const options = { attentionMask: [mask] };
      const { logits } = model.forward([full.slice(0, 4)], options);
      if (logits?.shape.length !== 3) continue;
      const one = model.forward([full.slice(0, 4)], { ...options, lastOnly: true }).logits!;
      expectNear(one.data, rowOf(logits, last));
    }
    model.dispose();
  });

  test('positions may be given, or left out', async () => {
    const model = await open(files);
    const batch = [full.slice(0, 4), full.slice(1, 5)];
    const counted = model.forward(batch).hidden;
    const at = (...positions: number[][]) => model.forward(batch, { positions }).hidden;
    if (architecture.positions ?? architecture.rotary) {
      expect(at([0, 1, 2, 3], [0, 1, 2, 3])).toEqual(counted);
      // Rotary positions matter only by their differences, those of tables by themselves.
      const shifted = at([3, 4, 5, 6], [7, 8, 9, 10]);
      const most = shifted.data.reduce((m, x, i) => Math.max(m, Math.abs(x - counted.data[i]!)), 0);
      if (architecture.positions) expect(most).toBeGreaterThan(0.01);
      else expect(most).toBeLessThan(CLOSE);
    } else {
      expect(() => at([0, 1, 2, 3], [0, 1, 2, 3])).toThrow(/no positions for .*, which uses only distances/);
    }
    if (!model.isCausal) {
      // Without positions an encoder does not know the order of its tokens.
      const forwards = model.forward(full.slice(0, 4), { positions: 'none' }).hidden;
      const backwards = model.forward(full.slice(0, 4).reverse(), { positions: 'none' }).hidden;
      for (let t = 0; t < 4; ++t) expectNear(rowOf(forwards, t), rowOf(backwards, 3 - t));
    } else {
      // For equal tokens without positions, all places see the same.
      const same = model.forward([5, 5, 5], { positions: 'none' }).hidden;
      for (let t = 1; t < 3; ++t) expectNear(rowOf(same, t), rowOf(same, 0));
    }
    model.dispose();
  });

  test('weights add up to 1 over the keys that a token may see, and a window restricts those', async () => {
    const model = await open(files);
    const { weights } = model.forward(full, { needWeights: true, window: 2 });
    const length = full.length;
    expect(weights!.length).toBe(model.numLayers);
    for (const { data, shape } of weights!) {
      expect(shape).toEqual([1, model.numHeads, length, length]);
      for (let row = 0; row < model.numHeads * length; ++row) {
        const some = data.subarray(row * length, (row + 1) * length);
        expect(some.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
        const t = row % length;
        const hidden = some.filter((_, s) => s < t - 1 || (s > t && model.isCausal));
        expect(hidden).toEqual(new Float32Array(hidden.length));
      }
    }
    model.dispose();
  });
});

describe('a cache', () => {
  const { config, bytes, expected } = checkpoint('qwen3');
  const files = { config, bytes };
  const ids = [...expected.ids[0]!, 3, 9, 27, 11];

  test('gives the same as no cache, in parts of any size, truncated and refilled', async () => {
    const model = await open(files);
    const whole = [ids, [...ids].reverse()];
    const { hidden } = model.forward(whole);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), fc.nat(9), (sizes, kept) => {
        const cache = model.createCache({ batch: 2, maxLength: ids.length });
        for (const start of [0, kept]) {
          cache.truncate(Math.min(start, cache.length));
          for (const size of [...sizes, ids.length]) {
            const from = cache.length;
            if (from === ids.length) break;
            const some = model.forward(
              whole.map((row) => row.slice(from, from + size)),
              { cache },
            ).hidden;
            const tokens = some.shape[1]!;
            for (let b = 0; b < 2; ++b) {
              for (let t = 0; t < tokens; ++t) {
                expectNear(rowOf(some, b * tokens + t), rowOf(hidden, b * ids.length + from + t));
              }
            }
          }
        }
        cache.dispose();
      }),
      { numRuns: 40 },
    );
    model.dispose();
  });

  test('is refused if it does not fit, and remains unchanged', async () => {
    const [model, other] = [await open(files), await open(files)];
    const cache = model.createCache({ maxLength: 4 });
    model.forward([1, 2, 3], { cache });
    expect(() => model.forward([1, 2], { cache })).toThrow(/expected at most 1 more tokens in a cache of 4, got 2$/);
    expect(() => model.forward([[1], [2]], { cache })).toThrow(/inputs of the cache's batch 1, got 2/);
    expect(() => other.forward([1], { cache })).toThrow(/got another's/);
    expect(() => model.forward([1], { cache: {} as never })).toThrow(TypeError);
    expect(cache.length).toBe(3);
    expect(() => cache.truncate(4)).toThrow(RangeError);
    cache.reset();
    expect(cache.length).toBe(0);
    cache.dispose();
    expect(() => model.forward([1], { cache })).toThrow(/disposed/);
    expect(() => cache.reset()).toThrow(/disposed/);
    expect(() => model.createCache({ maxLength: 129 })).toThrow(RangeError);
    const encoder = await open(checkpoint('bert-padded'));
    const creating = () => encoder.createCache({ maxLength: 4 });
    expect(creating).toThrow(TypeError);
    expect(creating).toThrow(/^createCache: expected a decoder, got bert$/);
    expect(() => encoder.forward([1], { cache })).toThrow(/got another's/);
    for (const each of [model, other, encoder]) each.dispose();
  });
});

test.each<[string, unknown, object | undefined, RegExp]>([
  ['no ids', [], undefined, /ids of at least one token/],
  ['no batch', [[]], undefined, /ids/],
  ['ids beyond the vocabulary', [71], undefined, /within \[0, 70\], got 71$/],
  ['ids that are no numbers', ['1'], undefined, /ids/],
  ['ids of three axes', [[[1]]], undefined, /ids of shape/],
  ['more tokens than the model has positions', Array(129).fill(1), undefined, /up to 128 tokens, got 129$/],
  ['a mask of another shape', [1, 2], { attentionMask: [1] }, /attentionMask of shape/],
  ['a mask of nothing', [1, 2], { attentionMask: [0, 0] }, /a token in each row/],
  [
    'a mask for rows of unequal length',
    [[1], [1, 2]],
    {
      attentionMask: [
        [1, 0],
        [1, 1],
      ],
    },
    /rows of equal length/,
  ],
  ['token types', [1], { tokenTypes: [0] }, /no tokenTypes for llama/],
  ['a head that does not exist', [1], { ablate: [[0, 4]] }, /ablate's head/],
  ['a layer that does not exist', [1], { ablate: [[2, 0]] }, /ablate's layer/],
  ['a neuron that does not exist', [1], { ablateNeurons: [[0, 44]] }, /ablateNeurons's neuron .*\[0, 43\], got 44$/],
  ['a layer without neurons', [1], { ablateNeurons: [[2, 0]] }, /ablateNeurons's layer .*\[0, 1\], got 2$/],
  [
    'neurons that are no pairs',
    [1],
    { ablateNeurons: [0, 1] },
    /ablateNeurons to be a list of \[layer, neuron\], got 0$/,
  ],
  ['neurons that are no list', [1], { ablateNeurons: 1 }, /ablateNeurons to be a list of \[layer, neuron\], got 1$/],
  ['positions of another shape', [1, 2], { positions: [1] }, /positions of shape/],
  ['positions called otherwise', [1], { positions: 'all' }, /positions to be 'none'/],
  ['an option that does not exist', [1], { needWeight: true }, /nearest is needWeights/],
])('%s are refused', async (_, ids, options, message) => {
  const model = await open(checkpoint('llama-grouped'));
  expect(() => model.forward(ids as number[], options as never)).toThrow(message);
  model.dispose();
  expect(() => model.forward([1])).toThrow(/got a disposed one$/);
});
