/** Generation: greedy and sampled, where it ends, and what it leaves behind. */
import { describe, expect, test } from '@jest/globals';
import type { GenerateOptions, Model } from 'wasm-attention/models';
import { Random } from '../support/random.js';
import { checkpoint, open, stories } from './fixtures.js';

const llama = checkpoint('llama-grouped');
const prompt = llama.expected.generate!.prompt;
const greedy = llama.expected.generate!.tokens;

async function write(model: Model, ids: number[], options: GenerateOptions): Promise<number[]> {
  const written = [];
  for await (const id of model.generate(ids, options)) written.push(id);
  return written;
}

/** A class that cannot be used. */
const throwing = function () {
  throw new Error('unsupported');
} as unknown as typeof MessageChannel;

describe('generate', () => {
  test('is greedy by default, and samples the same with the same seed', async () => {
    const model = await open(llama);
    const maxTokens = greedy.length;
    expect(await write(model, prompt, { maxTokens, temperature: 0 })).toEqual(greedy);
    const absent = { temperature: null, topK: null, topP: null, signal: null };
    expect(await write(model, prompt, { maxTokens, ...(absent as object) })).toEqual(greedy);
    expect(await write(model, prompt, { maxTokens, temperature: 2, topK: 1 })).toEqual(greedy);
    expect(await write(model, prompt, { maxTokens, temperature: 2, topP: 1e-6 })).toEqual(greedy);
    const [first, again, other] = await Promise.all(
      [1, 1, 2].map(async (seed) => write(model, prompt, { maxTokens, temperature: 3, seed })),
    );
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    model.dispose();
  });

  test('ends with the end-of-sequence token of the config', async () => {
    for (const eos of [greedy[3], [9999, greedy[3]]]) {
      const model = await open({ ...llama, config: { ...llama.config, eos_token_id: eos } });
      expect(await write(model, prompt, { maxTokens: 12 })).toEqual(greedy.slice(0, greedy.indexOf(greedy[3]!) + 1));
      model.dispose();
    }
  });

  test('ends where the model or the cache is full', async () => {
    const model = await open(llama);
    const long = Array.from({ length: 120 }, (_, i) => (7 * i) % 71);
    // The last token needs no place of its own.
    expect((await write(model, long, {})).length).toBe(9);
    expect((await write(model, [...long, ...long.slice(0, 8)], {})).length).toBe(1);
    await expect(write(model, [...long, ...long.slice(0, 9)], {})).rejects.toThrow(/up to 128 tokens, got 129$/);
    const cache = model.createCache({ maxLength: 16 });
    expect((await write(model, prompt, { cache })).length).toBe(16 - prompt.length + 1);
    expect(await write(model, prompt, { maxTokens: 0 })).toEqual([]);
    model.dispose();
  });

  test.each([
    ['channels', MessageChannel],
    ['none, as in Next’s edge runtime', throwing],
  ])('lets other tasks run between tokens, with %s', async (_, channel) => {
    const model = await open(llama);
    const before = globalThis.MessageChannel;
    globalThis.MessageChannel = channel;
    let ran = false;
    setTimeout(() => (ran = true));
    try {
      for await (const _token of model.generate(prompt, { maxTokens: 5 }))
        for (const start = performance.now(); performance.now() - start < 20;);
    } finally {
      globalThis.MessageChannel = before;
    }
    expect(ran).toBe(true);
    model.dispose();
  });

  test('continues from a cache', async () => {
    const model = await open(llama);
    const cache = model.createCache();
    const first = await write(model, prompt, { cache, maxTokens: 5 });
    const rest = await write(model, first.slice(-1), { cache, maxTokens: greedy.length - 5 });
    expect([...first, ...rest]).toEqual(greedy);
    model.dispose();
  });

  test('ends between two tokens when its signal aborts, and the model remains usable', async () => {
    const model = await open(stories);
    const controller = new AbortController();
    const written: number[] = [];
    for await (const id of model.generate([1], { signal: controller.signal })) {
      written.push(id);
      if (written.length === 7) controller.abort();
    }
    expect(written.length).toBe(7);
    expect(await write(model, [1], { maxTokens: 7 })).toEqual(written);
    expect(await write(model, [1], { signal: AbortSignal.abort() })).toEqual([]);
    model.dispose();
  });

  test('generates another text without positions, or without a head', async () => {
    const model = await open(stories);
    const plain = await write(model, [1], { maxTokens: 30 });
    expect(await write(model, [1], { maxTokens: 30, positions: 'none' })).not.toEqual(plain);
    expect(
      await write(model, [1], {
        maxTokens: 30,
        ablate: [
          [0, 0],
          [1, 1],
        ],
      }),
    ).not.toEqual(plain);
    let calls = 0;
    await write(model, [1], { maxTokens: 4, hooks: { 'blocks.0.hook_mlp_out': () => void (calls += 1) } });
    expect(calls).toBe(4);
    model.dispose();
  });

  test.each<[string, unknown, object, RegExp]>([
    ['no ids', [], {}, /ids of at least one token/],
    ['two sequences that are no list', { data: [1, 2], shape: [2, 1] }, {}, /ids of one sequence, or a list/],
    ['a negative temperature', [1], { temperature: -1 }, /temperature to be at least 0/],
    ['a temperature that is no number', [1], { temperature: NaN }, /temperature/],
    ['topK of 0', [1], { topK: 0 }, /topK/],
    ['topP of 0', [1], { topP: 0 }, /topP within \(0, 1\]/],
    ['a signal of another kind', [1], { signal: {} }, /signal to be an AbortSignal/],
    ['a neuron that does not exist', [1], { ablateNeurons: [[0, 172]] }, /ablateNeurons's neuron .*got 172$/],
    ['positions of its own', [1], { positions: [1] }, /positions to be 'none'/],
    ['an option that does not exist', [1], { maxToken: 1 }, /nearest is maxTokens/],
  ])('refuses %s', async (_, ids, options, message) => {
    const model = await open(llama);
    await expect(write(model, ids as number[], options as never)).rejects.toThrow(message);
    model.dispose();
  });

  test('refuses encoders', async () => {
    const model = await open(checkpoint('bert-padded'));
    await expect(write(model, [1], {})).rejects.toThrow(/a decoder, got bert$/);
    await expect(write(model, [1], {})).rejects.toThrow(TypeError);
    model.dispose();
  });

  test('is named in the error if the model is disposed before or between two tokens', async () => {
    const message = /^generate: expected a model in use, got a disposed one$/;
    const model = await open(llama);
    const writing = model.generate(prompt);
    await writing.next();
    model.dispose();
    await expect(writing.next()).rejects.toThrow(message);
    await expect(write(model, prompt, {})).rejects.toThrow(message);
    await expect(write(model, prompt, { maxTokens: 0 })).rejects.toThrow(message);
  });
});

test('computes all tokens anew where the factors of longrope change', async () => {
  const { config, bytes } = checkpoint('phi3');
  const random = new Random(9);
  const scaling = { type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [2, 9, 30, 80] };
  const model = await open({
    config: { ...config, original_max_position_embeddings: 9, rope_scaling: scaling },
    bytes,
  });
  const prompts = [4, 6, 6].map((length) => Array.from({ length }, () => random.integer(3, 70)));
  const expected = prompts.map((prompt) => {
    const ids = [...prompt];
    for (let count = 0; count < 12; ++count) {
      const { data } = model.forward(ids, { lastOnly: true }).logits!;
      ids.push(data.indexOf(Math.max(...data)));
    }
    return ids.slice(prompt.length);
  });
  const found = await Promise.all(prompts.map(async (prompt) => write(model, prompt, { maxTokens: 12 })));
  expect(found).toEqual(expected);
  // Rows of one length cross together.
  const rows: number[][] = [];
  for await (const tokens of model.generate(prompts.slice(1), { maxTokens: 12 })) rows.push(tokens);
  expect([0, 1].map((b) => rows.map((row) => row[b]))).toEqual(expected.slice(1));
  // A cache of the caller's keeps the keys that it has.
  const cache = model.createCache({ maxLength: 32 });
  expect(await write(model, prompts[0]!, { maxTokens: 12, cache })).toHaveLength(12);
  expect(cache.length).toBe(15);
  model.dispose();
});
