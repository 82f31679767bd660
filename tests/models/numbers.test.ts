/** Numbers that a model refuses, and numbers that it takes as tokenizers give them. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, type Tensor, type WeightType } from 'wasm-attention';
import { openModel, type GenerateOptions, type Model } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { checkpoint, open } from './fixtures.js';

const llama = checkpoint('llama-grouped');
const prompt = llama.expected.generate!.prompt;
const greedy = llama.expected.generate!.tokens;

/** The checkpoint with numbers of one tensor changed. */
async function changed(name: string, change: (x: number, i: number) => number, options = {}): Promise<Model> {
  const weights = readSafetensors(llama.bytes);
  const { data, shape } = weights[name]!;
  return openModel({
    config: llama.config,
    weights: { ...weights, [name]: { data: data.map(change), shape } },
    attention,
    ...options,
  });
}

async function write(model: Model, ids: readonly number[], options: GenerateOptions): Promise<number[]> {
  const tokens = [];
  for await (const id of model.generate(ids, options)) tokens.push(id);
  return tokens;
}

describe('a generation ends with an error where its logits are not finite', () => {
  const at = (layer: number, module: string): string => `model.layers.${layer}.${module}.weight`;
  test.each([
    ['the embeddings', 'model.embed_tokens.weight'],
    ['layer 0', at(0, 'mlp.down_proj')],
    ['layer 0', at(0, 'self_attn.v_proj')],
    ['layer 1', at(1, 'post_attention_layernorm')],
    ['layer 1', at(1, 'self_attn.q_proj')],
    ['the last norm', 'model.norm.weight'],
    ['the logits', 'lm_head.weight'],
  ])('that names %s: %s', async (place, name) => {
    for (const wrong of [NaN, Infinity]) {
      const model = await changed(name, () => wrong);
      for (const options of [{}, { temperature: 1, seed: 1 }, { temperature: 1, topK: 3 }]) {
        const text = write(model, prompt, options);
        await expect(text).rejects.toThrow(RangeError);
        await expect(text).rejects.toThrow(new RegExp(`finite logits, got NaN or infinity, first in ${place}$`));
      }
      model.dispose();
    }
  });

  test('and the cache is as it was before the token', async () => {
    const model = await open(llama);
    const cache = model.createCache();
    model.forward(prompt.slice(0, 3), { cache });
    const hooks = { 'blocks.1.hook_mlp_out': ({ data, shape }: Tensor) => ({ data: data.map(() => NaN), shape }) };
    await expect(write(model, prompt.slice(3), { cache, hooks })).rejects.toThrow(/first in layer 1$/);
    expect(cache.length).toBe(3);
    expect(await write(model, prompt.slice(3), { cache, maxTokens: greedy.length })).toEqual(greedy);
    model.dispose();
  });

  test('but a logit of -Infinity is one that is never drawn', async () => {
    const model = await open(llama);
    const hooks = {
      'ln_final.hook_normalized': ({ data, shape }: Tensor) => ({ data: data.map(() => 0), shape }),
    };
    expect(await write(model, prompt, { hooks, maxTokens: 2 })).toEqual([0, 0]);
    model.dispose();
  });
});

describe('topK and topP', () => {
  test.each([{ topK: 3 }, { topP: 0.5 }, { topK: 3, topP: 0.5 }, { topK: 3, temperature: null as never }])(
    'need a temperature: %j',
    async (options) => {
      const model = await open(llama);
      await expect(write(model, prompt, options)).rejects.toThrow(RangeError);
      await expect(write(model, prompt, options)).rejects.toThrow(/expected temperature with top[KP], got none$/);
      model.dispose();
    },
  );
});

describe('whole numbers of 64 bits', () => {
  const bert = checkpoint('bert-padded');
  const { ids, attentionMask, tokenTypes } = bert.expected;
  const shape = [ids.length, ids[0]!.length];
  const big = (rows: readonly (readonly number[])[]): BigInt64Array => BigInt64Array.from(rows.flat(), BigInt);

  test.each(['shape', 'dims'] as const)('are ids, masks and types, with %s', async (axes) => {
    const model = await open(bert);
    const of = (rows: number[][]): never => ({ data: big(rows), [axes]: shape }) as never;
    const plain = model.forward(ids, { attentionMask, tokenTypes: tokenTypes! });
    const mixed = { attentionMask: of(attentionMask), tokenTypes: of(tokenTypes!) };
    expect(model.forward(of(ids), mixed)).toEqual(plain);
    expect(model.embed(of(ids), { attentionMask: of(attentionMask) })).toEqual(model.embed(ids, { attentionMask }));
    model.dispose();
  });

  test('are a sequence, and rows of a batch', async () => {
    const model = await open(llama);
    const expected = model.forward(prompt).logits;
    expect(model.forward(big([prompt]) as never).logits).toEqual(expected);
    const rows = [prompt, prompt.slice(0, 2)];
    expect(model.forward(rows.map((row) => big([row])) as never).logits).toEqual(model.forward(rows).logits);
    expect(await write(model, big([prompt]) as never, { maxTokens: greedy.length })).toEqual(greedy);
    model.dispose();
  });

  test.each([-1n, 71n, 2n ** 32n, 2n ** 53n + 1n, -(2n ** 63n)])(
    'beyond the vocabulary are refused: %s',
    async (id) => {
      const model = await open(llama);
      const data = BigInt64Array.of(1n, id);
      expect(() => model.forward({ data, shape: [1, 2] })).toThrow(RangeError);
      expect(() => model.forward({ data, shape: [1, 2] })).toThrow(/ids to hold whole numbers within \[0, 70\]/);
      model.dispose();
    },
  );
});

describe('float16 refuses 65520 and more', () => {
  const name = 'model.layers.1.mlp.down_proj.weight';
  const large =
    (x: number): ((_: number, i: number) => number) =>
    (_, i) =>
      i === 5 ? x : 0.25;

  test.each([65520, -65520, 1e6, 3e38])('in weights: %d', async (x) => {
    const before = [allocator.liveBytes];
    const opening = changed(name, large(x), { weightType: 'float16' });
    await expect(opening).rejects.toThrow(RangeError);
    await expect(opening).rejects.toThrow(`'${name}' within float16, below 65520, got ${Math.fround(x)}`);
    expect([allocator.liveBytes]).toEqual(before);
    for (const weightType of ['float32', 'int8']) (await changed(name, large(x), { weightType })).dispose();
  });

  test.each([65519, -65504, Infinity])('but not what it has: %d', async (x) => {
    (await changed(name, large(x), { weightType: 'float16' })).dispose();
  });

  test.each(['keys', 'values'])('in caches: %s', async (which) => {
    const module = which === 'keys' ? 'k_proj' : 'v_proj';
    const model = await changed(`model.layers.1.self_attn.${module}.weight`, (x) => 1e6 * x);
    // In caches of int8, keys are float16.
    const rounds = { float32: false, float16: true, int8: which === 'keys' };
    for (const [cacheType, refuses] of Object.entries(rounds) as [WeightType, boolean][]) {
      const cache = model.createCache({ cacheType });
      const run = () => model.forward(prompt, { cache });
      if (refuses) {
        expect(run).toThrow(RangeError);
        expect(run).toThrow(`${which} of layer 1 within float16, below 65520`);
      } else {
        run();
      }
      expect(cache.length).toBe(refuses ? 0 : prompt.length);
    }
    model.dispose();
  });
});

test('a batch of more rows than could be collected is refused', async () => {
  const model = await open(llama);
  const rows = Array<number[]>(2 ** 22 + 1).fill([1]);
  expect(() => model.forward(rows)).toThrow(RangeError);
  expect(() => model.forward(rows)).toThrow(/ids of at most 4194304 rows, got 4194305$/);
  model.dispose();
});

test('a row that is much longer than a batch can be is refused by name', async () => {
  const model = await open(llama);
  const rows = [Array<number>(2 ** 20).fill(1), ...Array<number[]>(2 ** 16).fill([1])];
  expect(() => model.forward(rows)).toThrow(RangeError);
  expect(() => model.forward(rows)).toThrow(/^forward: expected /);
  model.dispose();
});

test('a long list of heads to ablate takes no memory for each', async () => {
  const model = await open(llama);
  const pair: readonly [number, number] = [1, 2];
  const before = process.memoryUsage().heapUsed;
  const many = model.forward(prompt, { ablate: Array<typeof pair>(4e6).fill(pair) });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64e6);
  expect(many).toEqual(model.forward(prompt, { ablate: [pair] }));
  model.dispose();
});
