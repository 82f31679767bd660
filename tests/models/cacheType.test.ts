/** Models with caches of float16 and int8. */
import { describe, expect, test } from '@jest/globals';
import { openModel, type Model, type ModelCache, type WeightType } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { expectClose } from '../support/close.js';
import { checkpoint, checkpoints, open, stories } from './fixtures.js';

const expected = stories.expected as unknown as { readonly tokens_out: number[] };
const text = [1, ...expected.tokens_out];

async function written(model: Model, count: number, cache?: ModelCache): Promise<number[]> {
  const tokens = [];
  for await (const id of model.generate([1], { maxTokens: count, ...(cache && { cache }) })) tokens.push(id);
  return tokens;
}

/** The perplexity of the expected tokens, which a cache takes in pieces. */
function perplexity(model: Model, cacheType: WeightType): number {
  const cache = model.createCache({ cacheType });
  let sum = 0;
  for (const [from, to] of [
    [0, 100],
    [100, 101],
    [101, 102],
    [102, text.length - 1],
  ] as const) {
    const { data } = model.forward(text.slice(from, to), { cache }).logits!;
    for (let i = from; i < to; ++i) {
      const row = data.subarray(512 * (i - from), 512 * (i - from + 1));
      const most = Math.max(...row);
      sum += Math.log(row.reduce((total, x) => total + Math.exp(x - most), 0)) + most - row[text[i + 1]!]!;
    }
  }
  cache.dispose();
  return Math.exp(sum / (text.length - 1));
}

describe('stories260K', () => {
  test('generates all 200 tokens with a cache of float16', async () => {
    const model = await open(stories, { cacheType: 'float16' });
    expect(await written(model, 200)).toEqual(expected.tokens_out.slice(0, 200));
    expect(perplexity(model, 'float16') / perplexity(model, 'float32')).toBeLessThan(1.001);
    model.dispose();
  });

  test('generates the first 40 tokens with a cache of int8, at hardly more perplexity', async () => {
    const model = await open(stories, { cacheType: 'int8' });
    expect(await written(model, 40)).toEqual(expected.tokens_out.slice(0, 40));
    expect(perplexity(model, 'int8') / perplexity(model, 'float32')).toBeLessThan(1.01);
    model.dispose();
  });

  test('generates the same with a growing cache as with a large one', async () => {
    const model = await open(stories, { cacheType: 'int8' });
    // More than the initial capacity of generate's cache.
    const cache = model.createCache();
    expect(await written(model, 300)).toEqual(await written(model, 300, cache));
    model.dispose();
  });
});

const causal = checkpoints.filter((name) => checkpoint(name).architecture.causal);
test.each(causal)('%s hardly depends on its cache’s type', async (name) => {
  const { config, bytes, expected } = checkpoint(name);
  const model = await openModel({ config, weights: bytes, attention });
  const ids = expected.ids[0]!;
  const answer = (cacheType: WeightType) => {
    const cache = model.createCache({ cacheType });
    const first = model.forward(ids.slice(0, 2), { cache });
    const rest = ids.slice(2).map((id) => model.forward([id], { cache, needWeights: true }));
    cache.dispose();
    return [first, ...rest];
  };
  const plain = answer('float32');
  for (const [type, step] of [
    ['float16', 2 ** -11],
    ['int8', 1 / 254],
  ] as const) {
    answer(type).forEach(({ hidden, weights }, i) => {
      // Hidden states after the last norm are about 1; each of two layers adds a few steps of error.
      expectClose(hidden, plain[i]!.hidden, { atol: 32 * step });
      weights?.forEach((map, layer) => expectClose(map, plain[i]!.weights![layer]!, { atol: 32 * step }));
    });
  }
  model.dispose();
});

test('hooks can replace patterns over cached values', async () => {
  const model = await open(stories);
  const cache = model.createCache({ cacheType: 'int8' });
  model.forward(text.slice(0, 10), { cache });
  const { logits } = model.forward(text.slice(10, 11), { cache });
  cache.truncate(10);
  // A pattern returned unchanged is the same attention, summed in another way.
  const same = model.forward(text.slice(10, 11), {
    cache,
    hooks: { 'blocks.2.attn.hook_pattern': (pattern) => pattern },
  });
  expectClose(same.logits, logits!, { atol: 1e-4 });
  cache.truncate(10);
  const other = model.forward(text.slice(10, 11), {
    cache,
    hooks: { 'blocks.2.attn.hook_pattern': ({ data, shape }) => ({ data: data.map(() => 1 / 11), shape }) },
  });
  expect(other.logits!.data.some((value, i) => Math.abs(value - logits!.data[i]!) > 0.1)).toBe(true);
  model.dispose();
});

test('small caches take their share of memory, and free it', async () => {
  const model = await openModel({ config: stories.config, weights: stories.bytes, attention });
  const bytes = (cacheType?: WeightType): number => {
    const before = allocator.liveBytes;
    const cache = model.createCache({ batch: 4, ...(cacheType && { cacheType }) });
    const used = allocator.liveBytes - before;
    cache.dispose();
    cache.dispose();
    expect(allocator.liveBytes).toBe(before);
    return used;
  };
  const plain = bytes();
  expect(bytes('float16') / plain).toBeCloseTo(0.5, 3);
  // Heads of 8: 16 bytes for keys, 12 for values with their scale, instead of 32 each.
  expect(bytes('int8') / plain).toBeCloseTo(28 / 64, 3);
  model.dispose();
});

test.each([
  ['int4', 'RangeError'],
  [8, 'TypeError'],
] as const)('cacheType %p is refused with a %s', async (cacheType, kind) => {
  const message = /cacheType to be one of float32, float16, int8, got/;
  const given = { config: stories.config, weights: stories.bytes, attention, cacheType: cacheType as never };
  await expect(openModel(given)).rejects.toMatchObject({
    name: kind,
    message: expect.stringMatching(message),
  });
  const model = await open(stories);
  expect(() => model.createCache({ cacheType: cacheType as never })).toThrow(message);
  model.dispose();
});
