/** A padded batch whose tokens come in several passes over a cache. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Model, ModelCache, ModelForwardOptions, ModelResult } from 'wasm-attention/models';
import { EPS, maxAbs } from '../support/close.js';
import { checkpoint, checkpoints, open } from './fixtures.js';

/** As in padding.test.ts. */
const TOLERANCE = 64 * EPS;
const causal = checkpoints.filter((name) => checkpoint(name).architecture.causal);

interface Batch {
  readonly ids: number[][];
  readonly mask: number[][];
}

/** A batch with a real token in each row's first `first` columns. */
function batches(row: readonly number[], isFree: boolean): fc.Arbitrary<Batch & { readonly first: number }> {
  const { length } = row;
  const id = fc.constantFrom(...row);
  return fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: length })).chain(([batch, first]) =>
    fc.record({
      first: fc.constant(first),
      ids: fc.array(fc.array(id, { minLength: length, maxLength: length }), { minLength: batch, maxLength: batch }),
      mask: isFree
        ? fc.array(
            fc
              .tuple(fc.array(fc.nat(1), { minLength: length, maxLength: length }), fc.nat(first - 1))
              .map(([bits, real]) => bits.map((bit, t) => (t === real ? 1 : bit))),
            { minLength: batch, maxLength: batch },
          )
        : fc.array(
            fc.nat(first - 1).map((pads) => row.map((_, t) => Number(t >= pads))),
            { minLength: batch, maxLength: batch },
          ),
    }),
  );
}

/** Where the first pass and those after it end. */
const cuts = fc.array(fc.integer({ min: 1, max: 4 }));
function endsOf(first: number, sizes: readonly number[], length: number): number[] {
  const ends = [first];
  for (const size of sizes) if (ends.at(-1)! < length) ends.push(Math.min(ends.at(-1)! + size, length));
  if (ends.at(-1)! < length) ends.push(length);
  return ends;
}

const columns = (rows: number[][], from: number, to: number): number[][] => rows.map((row) => row.slice(from, to));

/** The passes over a batch, from what the cache holds on. */
function passes(
  model: Model,
  cache: ModelCache,
  { ids, mask }: Batch,
  ends: number[],
  options?: ModelForwardOptions,
): ModelResult[] {
  return ends.map((end) =>
    model.forward(columns(ids, cache.length, end), { cache, attentionMask: columns(mask, 0, end), ...options }),
  );
}

/** The largest difference between the real tokens' numbers of some passes and of one, for numbers of about 1. */
function worst(parts: ModelResult[], whole: ModelResult, { mask }: Batch, start = 0): number {
  let [at, most] = [start, 0];
  const pick = ({ hidden, logits }: ModelResult) => [hidden, logits!];
  for (const part of parts) {
    const tokens = part.hidden.shape[1]!;
    pick(part).forEach(({ data, shape }, i) => {
      const { data: wanted } = pick(whole)[i]!;
      const scale = Math.max(1, maxAbs(wanted));
      const width = shape[2]!;
      mask.forEach((row, b) => {
        for (let t = 0; t < tokens; ++t) {
          if (row[at + t] !== 1) continue;
          for (let j = 0; j < width; ++j) {
            const x = wanted[(b * row.length + at + t) * width + j]!;
            most = Math.max(most, Math.abs(data[(b * tokens + t) * width + j]! - x) / scale);
          }
        }
      });
    });
    at += tokens;
  }
  return most;
}

describe.each(causal)('%s', (name) => {
  const files = checkpoint(name);
  const row = files.expected.ids[0]!;

  test.each([
    ['on the left', false],
    ['anywhere', true],
  ])('gives the same in parts of any size as at once, with padding %s', async (_, isFree) => {
    const model = await open(files);
    fc.assert(
      fc.property(batches(row, isFree), cuts, fc.nat(row.length), ({ first, ...batch }, sizes, kept) => {
        const cache = model.createCache({ batch: batch.ids.length, maxLength: row.length });
        const whole = model.forward(batch.ids, { attentionMask: batch.mask });
        const ends = endsOf(first, sizes, row.length);
        expect(worst(passes(model, cache, batch, ends), whole, batch)).toBeLessThan(model.numLayers * TOLERANCE);
        // Again after some of them, with other tokens and other padding.
        const start = Math.max(first, kept);
        const other = {
          ids: batch.ids.map((ids) => [...ids.slice(0, start), ...ids.slice(start).reverse()]),
          mask: batch.mask.map((mask) => [...mask.slice(0, start), ...mask.slice(start).reverse()]),
        };
        cache.truncate(start);
        const rest = passes(
          model,
          cache,
          other,
          ends.filter((end) => end > start),
        );
        const anew = model.forward(other.ids, { attentionMask: other.mask });
        expect(worst(rest, anew, other, start)).toBeLessThan(model.numLayers * TOLERANCE);
        cache.dispose();
      }),
      { numRuns: 20 },
    );
    model.dispose();
  });

  test('gives rows behind padding the numbers that they have alone', async () => {
    const model = await open(files);
    fc.assert(
      fc.property(batches(row, false), cuts, ({ first, ids, mask }, sizes) => {
        const cache = model.createCache({ batch: ids.length, maxLength: row.length });
        const parts = passes(model, cache, { ids, mask }, endsOf(first, sizes, row.length), { lastOnly: true });
        const { data, shape } = parts.at(-1)!.logits!;
        ids.forEach((each, b) => {
          const real = each.filter((_, t) => mask[b]![t] === 1);
          const alone = model.forward(real, { lastOnly: true }).logits!.data;
          const worst = maxAbs(alone.map((x, j) => x - data[b * shape[2]! + j]!));
          expect(worst / Math.max(1, maxAbs(alone))).toBeLessThan(model.numLayers * TOLERANCE);
        });
        cache.dispose();
      }),
      { numRuns: 20 },
    );
    model.dispose();
  });
});

/** A window counts padding between two tokens, as in transformers. */
const unlimited = causal.filter((name) => !checkpoint(name).architecture.windows.some(Boolean));

test.each(unlimited)('%s gives rows with padding anywhere the numbers that they have alone', async (name) => {
  const files = checkpoint(name);
  const row = files.expected.ids[0]!;
  const model = await open(files);
  fc.assert(
    fc.property(batches(row, true), cuts, ({ first, ids, mask }, sizes) => {
      const cache = model.createCache({ batch: ids.length, maxLength: row.length });
      const cached = passes(model, cache, { ids, mask }, endsOf(first, sizes, row.length));
      const whole = model.forward(ids, { attentionMask: mask });
      expect(worst(cached, whole, { ids, mask })).toBeLessThan(model.numLayers * TOLERANCE);
      ids.forEach((each, b) => {
        const { data, shape } = model.forward(each.filter((_, t) => mask[b]![t] === 1)).logits!;
        const width = shape[2]!;
        const places = [...mask[b]!.keys()].filter((t) => mask[b]![t] === 1);
        const off = data.map((x, i) => {
          const place = b * row.length + places[Math.floor(i / width)]!;
          return x - whole.logits!.data[place * width + (i % width)]!;
        });
        expect(maxAbs(off) / Math.max(1, maxAbs(data))).toBeLessThan(model.numLayers * TOLERANCE);
      });
      cache.dispose();
    }),
    { numRuns: 20 },
  );
  model.dispose();
});

const llama = checkpoint('llama-grouped');
const batch = {
  ids: [
    [1, 2, 3, 4, 5],
    [9, 8, 7, 6, 5],
  ],
  mask: [
    [0, 0, 1, 1, 1],
    [1, 1, 1, 1, 1],
  ],
};

test('without a mask all new tokens are real, and rows may be of unequal length', async () => {
  const model = await open(llama);
  const [one, other] = [model.createCache({ batch: 2 }), model.createCache({ batch: 2 })];
  passes(model, one, batch, [3]);
  passes(model, other, batch, [3]);
  const masked = model.forward(
    [
      [4, 0],
      [6, 5],
    ],
    {
      cache: one,
      attentionMask: [
        [0, 0, 1, 1, 0],
        [1, 1, 1, 1, 1],
      ],
      lastOnly: true,
    },
  );
  expect(model.forward([[4], [6, 5]], { cache: other, lastOnly: true }).logits).toEqual(masked.logits);
  const after = model.forward([[5], [4]], {
    cache: one,
    attentionMask: [
      [0, 0, 1, 1, 0, 1],
      [1, 1, 1, 1, 1, 1],
    ],
  });
  expect(model.forward([[5], [4]], { cache: other })).toEqual(after);
  model.dispose();
});

test('its rows can be reordered, and only its first tokens kept', async () => {
  const model = await open(llama);
  const cache = model.createCache({ batch: 2 });
  const [, last] = passes(model, cache, batch, [4, 5]);
  cache.truncate(4);
  cache.reorder([1, 0]);
  const turned = { ids: batch.ids.toReversed(), mask: batch.mask.toReversed() };
  const [again] = passes(model, cache, turned, [5]);
  expect(worst([again!], model.forward(turned.ids, { attentionMask: turned.mask }), turned, 4)).toBeLessThan(
    2 * TOLERANCE,
  );
  expect(again!.logits!.data.slice(71)).toEqual(last!.logits!.data.slice(0, 71));
  cache.reset();
  const [anew] = passes(model, cache, { ids: batch.ids, mask: turned.mask }, [5]);
  expect(anew).toEqual(model.forward(batch.ids, { attentionMask: turned.mask }));
  model.dispose();
});

test.each<[string, unknown, RegExp]>([
  [
    'another entry of an earlier token',
    [
      [0, 1, 1, 1],
      [1, 1, 1, 1],
    ],
    /attentionMask to keep the entries of the cache, got another entry 1 of row 0$/,
  ],
  [
    'another entry of another row',
    [
      [0, 0, 1, 1],
      [1, 1, 0, 1],
    ],
    /another entry 2 of row 1$/,
  ],
  ['the new tokens alone', [[1], [1]], /attentionMask of shape \(2, 4\), got \(2, 1\)$/],
  [
    'too many columns',
    [
      [0, 0, 1, 1, 1],
      [1, 1, 1, 1, 1],
    ],
    /attentionMask of shape \(2, 4\), got \(2, 5\)$/,
  ],
  [
    'numbers that are no entries',
    [
      [0, 0, 1, 2],
      [1, 1, 1, 1],
    ],
    /attentionMask to hold booleans or 0 and 1/,
  ],
])('a mask of %s is a RangeError, and the cache stays as it is', async (_, attentionMask, message) => {
  const model = await open(llama);
  const cache = model.createCache({ batch: 2 });
  passes(model, cache, batch, [3]);
  const call = () => model.forward([[4], [6]], { cache, attentionMask: attentionMask as number[][] });
  expect(call).toThrow(message);
  expect(call).toThrow(RangeError);
  expect(cache.length).toBe(3);
  const [result] = passes(model, cache, batch, [5]);
  expect(worst([result!], model.forward(batch.ids, { attentionMask: batch.mask }), batch, 3)).toBeLessThan(
    2 * TOLERANCE,
  );
  model.dispose();
});

test('an unpadded cache takes a mask that is all 1, and padding later', async () => {
  const model = await open(llama);
  const cache = model.createCache();
  model.forward([1, 2], { cache });
  expect(() => model.forward([0], { cache, attentionMask: [0, 1, 1] })).toThrow(/another entry 0 of row 0$/);
  model.forward([0], { cache, attentionMask: [1, 1, 0] });
  const { hidden } = model.forward([3], {
    cache,
    attentionMask: { data: [true, true, false, true] as never, shape: [1, 4] },
  });
  const { data } = model.forward([1, 2, 3]).hidden;
  expect(maxAbs(hidden.data.map((x, i) => x - data[2 * model.numHiddens + i]!))).toBeLessThan(2 * TOLERANCE);
  expect(() => model.forward([[0]], { cache: model.createCache(), attentionMask: [0] })).toThrow(/a token in each row/);
  model.dispose();
});
