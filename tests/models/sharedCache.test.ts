/** A cache that other code changes during a generation. */
import { expect, test } from '@jest/globals';
import type { Model, ModelCache } from 'wasm-attention/models';
import { checkpoint, open } from './fixtures.js';

const llama = checkpoint('llama-grouped');
const { prompt, tokens } = llama.expected.generate!;
const MESSAGE = /^generate: expected the cache to stay unchanged between tokens, got a changed one$/;

test('of two generations on one cache, the one that is overtaken is an error', async () => {
  const model = await open(llama);
  const cache = model.createCache({ maxLength: 64 });
  const [first, second] = [1, 2].map(() => model.generate(prompt, { cache }));
  expect((await first!.next()).value).toBe(tokens[0]);
  expect((await second!.next()).done).toBe(false);
  await expect(first!.next()).rejects.toThrow(MESSAGE);
  expect((await second!.next()).done).toBe(false);
  expect(cache.length).toBe(2 * prompt.length + 1);
  model.dispose();
});

test.each<[string, (model: Model, cache: ModelCache) => void]>([
  ['truncated', (_, cache) => cache.truncate(1)],
  ['reset', (_, cache) => cache.reset()],
  ['used by a pass', (model, cache) => model.forward([1, 2], { cache })],
  [
    'of the same length but another text',
    (model, cache) => {
      const { length } = cache;
      cache.truncate(length - 2);
      model.forward([1, 2], { cache });
      expect(cache.length).toBe(length);
    },
  ],
])('a generation whose cache is %s between two tokens is an error, a TypeError', async (_, change) => {
  const model = await open(llama);
  const cache = model.createCache({ maxLength: 64 });
  const writing = model.generate(prompt, { cache });
  await writing.next();
  await writing.next();
  change(model, cache);
  const next = writing.next();
  await expect(next).rejects.toThrow(MESSAGE);
  await expect(next).rejects.toThrow(TypeError);
  // The cache can be used again.
  cache.reset();
  const again = model.generate(prompt, { cache });
  for (const token of tokens.slice(0, 4)) expect((await again.next()).value).toBe(token);
  model.dispose();
});

test('a generation may use the cache as soon as another one has ended', async () => {
  const model = await open(llama);
  const cache = model.createCache({ maxLength: 64 });
  const written: number[] = [];
  let next = prompt;
  for (const count of [3, 1, 2]) {
    for await (const id of model.generate(next, { cache, maxTokens: count })) written.push(id);
    next = written.slice(-1);
  }
  expect(written).toEqual(tokens.slice(0, 6));
  model.dispose();
});
