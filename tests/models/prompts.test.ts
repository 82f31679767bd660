/** Generation from several prompts at a time. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GenerateOptions, Model } from 'wasm-attention/models';
import { checkpoint, checkpoints, open } from './fixtures.js';

type Logits = [ids: readonly number[], logits: Float32Array];

async function alone(model: Model, prompt: number[], options: GenerateOptions): Promise<number[]> {
  const written = [];
  for await (const id of model.generate(prompt, options)) written.push(id);
  return written;
}

/** The tokens of each row, and how many steps there were. */
async function together(model: Model, prompts: number[][], options: GenerateOptions): Promise<number[][]> {
  const rows: number[][] = prompts.map(() => []);
  let steps = 0;
  for await (const tokens of model.generate(prompts, options)) {
    expect(tokens).toHaveLength(prompts.length);
    steps += 1;
    tokens.forEach((token, b) => {
      // What comes after the end is -1 alone.
      if (token >= 0) expect(rows[b]!.push(token)).toBe(steps);
    });
  }
  expect(steps).toBe(Math.max(...rows.map((row) => row.length)));
  return rows;
}

const causal = checkpoints.filter((name) => checkpoint(name).expected.generate);

describe.each(causal)('%s', (name) => {
  const files = checkpoint(name);
  const { prompt } = files.expected.generate!;
  const { vocab } = files.architecture;

  test('writes the same for several prompts as for each alone', async () => {
    const model = await open({ ...files, config: { ...files.config, eos_token_id: null } });
    const length = fc.integer({ min: 1, max: prompt.length });
    const rows = fc.array(fc.tuple(fc.nat(prompt.length - 1), length), { minLength: 1, maxLength: 4 });
    const options = fc.record<GenerateOptions>(
      {
        temperature: fc.double({ min: 0.5, max: 3, noNaN: true }),
        seed: fc.nat(),
        repetitionPenalty: fc.constantFrom(0.5, 1.3, 2),
        stopTokens: fc.uniqueArray(fc.nat(vocab - 1), { maxLength: vocab / 4 }),
        positions: fc.constantFrom('none' as const),
      },
      { requiredKeys: ['seed'] },
    );
    await fc.assert(
      fc.asyncProperty(rows, options, fc.nat(12), async (rows, options, maxTokens) => {
        const prompts = rows.map(([from, count]) => prompt.slice(from, from + count));
        const found: Logits[] = [];
        const expected: Logits[] = [];
        const seeing = (list: Logits[]) => ({
          ...options,
          maxTokens,
          onLogits: (logits: Float32Array, ids: readonly number[]) => void list.push([ids, logits]),
        });
        const texts: number[][] = [];
        for (const [b, each] of prompts.entries()) {
          texts.push(await alone(model, each, { ...seeing(expected), seed: options.seed! + b }));
        }
        if (maxTokens > 0) expect(await together(model, prompts, seeing(found))).toEqual(texts);
        else expect(await together(model, [prompts[0]!], { ...options, maxTokens })).toEqual([[]]);
        const key = ([ids]: Logits): string => ids.join();
        const [a, b] = [found, expected].map((list) => list.sort((x, y) => (key(x) < key(y) ? -1 : 1)));
        expect(a!.map(key)).toEqual(maxTokens > 0 ? b!.map(key) : []);
        const worst = a!.flatMap(([, logits], i) => Array.from(logits, (x, j) => Math.abs(x - b![i]![1][j]!)));
        expect(Math.max(0, ...worst)).toBeLessThan(2e-5);
      }),
      { numRuns: 10 },
    );
    model.dispose();
  });
});

const llama = checkpoint('llama-grouped');
const { prompt, tokens } = llama.expected.generate!;

test('writes as many tokens as alone where the model’s positions end', async () => {
  const { maxLength } = llama.architecture;
  const model = await open({ ...llama, config: { ...llama.config, eos_token_id: null } });
  const long = Array.from({ length: maxLength - 3 }, (_, i) => prompt[i % prompt.length]!);
  const prompts = [long.slice(0, 2), long, long.slice(5)];
  const texts = [];
  for (const each of prompts) texts.push(await alone(model, each, {}));
  expect(texts.map((text) => text.length)).toEqual([maxLength - 1, 4, 9]);
  expect(await together(model, prompts, {})).toEqual(texts);
  model.dispose();
});

test('one prompt in a list gives lists of one token', async () => {
  const model = await open(llama);
  const steps = [];
  for await (const step of model.generate([prompt], { maxTokens: 3 })) steps.push(step);
  expect(steps).toEqual(tokens.slice(0, 3).map((token) => [token]));
  model.dispose();
});

test('a row that has ended gives its end token, then -1, until all have ended', async () => {
  const model = await open(llama);
  const prompts = [prompt, prompt.slice(0, 3)];
  const other = await alone(model, prompts[1]!, { maxTokens: 8 });
  const stop = tokens.slice(0, 8).find((token) => !other.includes(token))!;
  const end = tokens.indexOf(stop) + 1;
  const steps = [];
  for await (const step of model.generate(prompts, { maxTokens: 8, stopTokens: [stop] })) steps.push(step);
  expect(steps.map(([token]) => token)).toEqual([...tokens.slice(0, end), ...Array<number>(8 - end).fill(-1)]);
  expect(steps.map(([, token]) => token)).toEqual(other);
  // Over when all have ended.
  const first = [];
  for await (const step of model.generate(prompts, { maxTokens: 8, stopTokens: [tokens[0]!, other[0]!] }))
    first.push(step);
  expect(first).toEqual([[tokens[0], other[0]]]);
  model.dispose();
});

test('a cache continues each row where it ended', async () => {
  const model = await open(llama);
  const prompts = [prompt, prompt.slice(0, 3), prompt.slice(2, 4)];
  const texts = [];
  for (const each of prompts) texts.push(await alone(model, each, { maxTokens: 12, stopTokens: [] }));
  // The first row ends early, so it has padding within when it continues.
  const stop = texts[0]![2]!;
  const ends = texts.map((text) => (text.slice(0, 6).includes(stop) ? text.indexOf(stop) + 1 : 6));
  for (const cacheType of ['float32', 'float16', 'int8'] as const) {
    const cache = model.createCache({ batch: 3, cacheType });
    const first = await together(model, prompts, { cache, maxTokens: 6, stopTokens: [stop] });
    expect(first.map((row) => row.length)).toEqual(ends);
    expect(cache.length).toBe(prompt.length + 5);
    const next = first.map((row) => row.slice(-1));
    const rest = await together(model, next, { cache, maxTokens: 5, stopTokens: [] });
    const expected = texts.map((text, b) => text.slice(ends[b], ends[b]! + 5));
    if (cacheType === 'float32') expect(rest).toEqual(expected);
    cache.dispose();
  }
  model.dispose();
});

test.each<[string, unknown, RegExp]>([
  ['an empty list', [], /ids of at least one token/],
  ['an empty prompt', [[1], []], /ids of at least one token/],
  ['prompts and tokens in one list', [[1], 2], /ids/],
  ['a token beyond the vocabulary', [[1], [1, 71]], /within \[0, 70\], got 71$/],
  ['a prompt that is too long', [[1], Array(129).fill(1)], /up to 128 tokens, got 129$/],
])('refuses %s', async (_, prompts, message) => {
  const model = await open(llama);
  await expect(together(model, prompts as number[][], {})).rejects.toThrow(message);
  await expect(together(model, prompts as number[][], {})).rejects.toThrow(RangeError);
  model.dispose();
});

test('refuses a cache of another batch, or without room', async () => {
  const model = await open(llama);
  const cache = model.createCache({ batch: 2, maxLength: 4 });
  await expect(together(model, [[1]], { cache })).rejects.toThrow(/the cache's batch 2, got 1$/);
  await expect(together(model, [[1], [1, 2, 3, 4, 5]], { cache })).rejects.toThrow(/up to 4 tokens, got 5$/);
  model.dispose();
});
