import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadWorker, type AsyncModel, type AsyncWasmAttention } from 'wasm-attention/worker';
import { readSafetensors, writeSafetensors } from 'wasm-attention/safetensors';
import { openModel, type AsyncVisionModel, type Model } from 'wasm-attention/models';
import { checkpoint, checkpoints, open, pictureCheckpoints, stories } from '../models/fixtures.js';
import { openPictures, openTexts, pictureCheckpoint } from '../models/pictures/fixtures.js';
import { outcome } from '../support/outcome.js';
import { Random } from '../support/random.js';

let worker: AsyncWasmAttention;
/** The same model in the worker and here. */
let there: AsyncModel;
let here: Model;

const openThere = ({ config, bytes }: { config: unknown; bytes: Uint8Array<ArrayBuffer> }) =>
  openModel({ config, weights: bytes, attention: worker });

beforeAll(async () => {
  worker = await loadWorker();
  [there, here] = [await openThere(stories), await open(stories)];
});
afterAll(() => worker.dispose());

/** A model here as if it were in a worker: `await` works with both. */
const asAsync = (model: Model): AsyncModel => model as unknown as AsyncModel;
type Cache = Awaited<ReturnType<AsyncModel['createCache']>>;

const written = async (tokens: AsyncIterable<number>): Promise<number[]> => {
  const all = [];
  for await (const token of tokens) all.push(token);
  return all;
};

describe.each(checkpoints)('%s in a worker', (name) => {
  const { ids, generate } = checkpoint(name).expected;
  const options = { needWeights: true, needHiddenStates: true };

  test('gives the same as the model here', async () => {
    const [remote, local] = [await openThere(checkpoint(name)), await open(checkpoint(name))];
    expect(await remote.forward(ids, options)).toEqual(local.forward(ids, options));
    expect(await remote.embed(ids, { normalize: true })).toEqual(local.embed(ids, { normalize: true }));
    const places = await remote.activations(ids, /(hook_result|mlp.hook_post|resid_post)$/, { ablate: [[0, 0]] });
    expect(places).toEqual(local.activations(ids, Object.keys(places), { ablate: [[0, 0]] }));
    const { 'blocks.0.hook_resid_post': stream } = places;
    expect(await outcome(() => remote.unembed(stream!, { norm: false }))).toEqual(
      await outcome(() => local.unembed(stream!, { norm: false })),
    );
    const { prompt } = generate ?? { prompt: [1] };
    expect(await outcome(() => written(remote.generate(prompt, { maxTokens: 5 })))).toEqual(
      await outcome(() => written(local.generate(prompt, { maxTokens: 5 }))),
    );
    await remote.dispose();
    local.dispose();
    await expect(remote.forward(ids)).rejects.toThrow('forward: expected a model in use, got a disposed one');
  });
});

describe.each(pictureCheckpoints)('%s in a worker', (name) => {
  test('gives the same for pictures as the model here, and for texts where it has a part for them', async () => {
    const { files, expected } = pictureCheckpoint(name);
    const remote = await openModel<AsyncVisionModel>({ ...files, attention: worker });
    const local = await openPictures(files);
    const pixels = new Random(1).tensor([2, 3, 24, 24]);
    const options = { needWeights: true, needHiddenStates: true };
    expect(await remote.forward(pixels, options)).toEqual(local.forward(pixels, options));
    expect(await remote.patches(24, 40)).toEqual(local.patches(24, 40));
    expect(await remote.activations(pixels, /mlp/)).toEqual(local.activations(pixels, /mlp/));
    expect(remote.logitScale).toBe(local.logitScale);
    await remote.dispose();
    local.dispose();
    if (name !== 'clip') return;
    const [far, near] = [await openModel({ ...files, attention: worker, part: 'text' }), await openTexts(files)];
    expect(await far.forward(expected.ids!)).toEqual(near.forward(expected.ids!));
    await far.dispose();
    near.dispose();
  });
});

test('modules of a sentence go there, too', async () => {
  const { config, bytes, expected } = checkpoint('st-mean-normalize');
  const weight = { data: Float32Array.from({ length: 64 }, (_, i) => Math.sin(i)), shape: [4, 16] };
  const dense = {
    config: { in_features: 16, out_features: 4, bias: false, activation_function: 'torch.nn.modules.activation.Tanh' },
    weights: writeSafetensors({ 'linear.weight': weight }),
  };
  const sentence = { pooling: { pooling_mode: 'cls' }, dense: [dense], normalize: true };
  const local = await open({ config, bytes }, { sentence });
  const remote = await openModel({ config, weights: bytes, attention: worker, sentence });
  const options = { dim: 3, pooling: 'max' } as const;
  expect(await remote.embed(expected.ids)).toEqual(local.embed(expected.ids));
  expect(await remote.embed(expected.ids, options)).toEqual(local.embed(expected.ids, options));
  await remote.dispose();
  local.dispose();
});

test('the model’s properties are there at once', () => {
  const { family, numLayers, numHeads, numHiddens, vocabSize, maxLength, parameterBytes, unused } = here;
  const { isCausal, positionKind, labels } = here;
  const sizes = { numLayers, numHeads, numHiddens, vocabSize, maxLength, parameterBytes };
  expect(there).toMatchObject({ family, ...sizes, unused, isCausal, positionKind, labels });
});

test('rounded weights and caches are small there, too', async () => {
  const small = { weightType: 'int8', cacheType: 'float16' } as const;
  const remote = await openModel({
    config: stories.config,
    weights: stories.bytes,
    attention: worker,
    ...small,
  });
  const local = await open(stories, small);
  expect(remote.parameterBytes).toBe(local.parameterBytes);
  const [far, near] = [await remote.createCache(), local.createCache()];
  const ids = [1, 403, 407];
  expect(await remote.forward(ids, { cache: far })).toEqual(local.forward(ids, { cache: near }));
  expect(await remote.forward([261], { cache: far })).toEqual(local.forward([261], { cache: near }));
  const wrong = openModel({
    config: stories.config,
    weights: stories.bytes,
    attention: worker,
    cacheType: '' as never,
  });
  await expect(wrong).rejects.toThrow(RangeError);
  await remote.dispose();
  local.dispose();
});

test('reports progress while it opens', async () => {
  const [remote, local]: [number[][], number[][]] = [[], []];
  const { config, bytes: weights } = stories;
  const onProgress = (list: number[][]) => (done: number, total: number) => void list.push([done, total]);
  const model = await openModel({ config, weights, attention: worker, onProgress: onProgress(remote) });
  await open(stories, { onProgress: onProgress(local) });
  expect(remote).toEqual(local);
  await model.dispose();
});

test('weights may be a Blob, or transferred', async () => {
  const { config } = stories;
  const fromBlob = await openModel({ config, weights: new Blob([stories.bytes]), attention: worker });
  const weights = stories.bytes.slice();
  const moved = await openModel({ config, weights, attention: worker.with({ transfer: true }) });
  expect(weights.byteLength).toBe(0);
  const expected = here.forward([1, 403]);
  expect(await fromBlob.forward([1, 403])).toEqual(expected);
  expect(await moved.forward([1, 403])).toEqual(expected);
  await fromBlob.dispose();
  await moved.dispose();
});

test.each<[string, (model: AsyncModel) => unknown]>([
  ['a token beyond the vocabulary', (model) => model.forward([1, 512])],
  ['a batch of nothing', (model) => model.forward([])],
  ['an unknown option', (model) => model.forward([1], { needWeight: true } as never)],
  ['an unknown option of generate', (model) => written(model.generate([1], { maxToken: 3 } as never))],
  ['a temperature below 0', (model) => written(model.generate([1], { temperature: -1 }))],
  ['a signal that is none', (model) => written(model.generate([1], { signal: 'now' as never }))],
  ['a cache of something else', (model) => model.forward([1], { cache: {} as never })],
])('%s is refused there as here', async (_, call) => {
  const refused = await outcome(() => call(there));
  expect(refused).toHaveProperty('thrown');
  expect(refused).toEqual(await outcome(() => call(asAsync(here))));
});

test('tensors in place of hooks do there what they do here', async () => {
  const name = 'blocks.2.hook_resid_pre';
  const { [name]: stream } = here.activations([1, 403], [name]);
  const hooks = { [name]: { data: stream!.data.map((x) => 2 * x), shape: stream!.shape } };
  expect(await there.forward([1, 403], { hooks })).toEqual(here.forward([1, 403], { hooks }));
  expect(await there.activations([1, 403], [name], { hooks })).toEqual({ [name]: hooks[name] });
});

test('functions as hooks, and onLogits, are a TypeError, and the next call is right', async () => {
  const hooks = { hook_embed: () => undefined };
  const expected = "no hooks, since a worker cannot call the page's functions";
  await expect(there.forward([1], { hooks } as never)).rejects.toThrow(
    new TypeError(`forward: expected ${expected}, got some`),
  );
  await expect(there.activations([1], /mlp/, { hooks } as never)).rejects.toThrow(
    new TypeError(`activations: expected ${expected}, got some`),
  );
  await expect(there.activations([1], ['nope'])).rejects.toThrow(TypeError);
  await expect(written(there.generate([1], { hooks } as never))).rejects.toThrow(
    new TypeError(`generate: expected ${expected}, got some`),
  );
  await expect(written(there.generate([1], { onLogits: () => undefined } as never))).rejects.toThrow(
    new TypeError(`generate: expected ${expected.replace('hooks', 'onLogits')}, got some`),
  );
  expect(await there.forward([1])).toEqual(here.forward([1]));
});

test('several prompts give the same lists of tokens there, and leave the same cache', async () => {
  const prompts = [[1, 403, 407], [1], [1, 403]];
  const [far, near] = [await there.createCache({ batch: 3 }), here.createCache({ batch: 3 })];
  const options = { temperature: 1, minP: 0.05, repetitionPenalty: 1.2, seed: 5, stopTokens: [261] };
  const rows = async (steps: AsyncIterable<number[]>, count: number): Promise<number[][]> => {
    const all = [];
    for await (const step of steps) if (all.push(step) === count) break;
    return all;
  };
  expect(await rows(there.generate(prompts, { ...options, maxTokens: 30 }), 99)).toEqual(
    await rows(here.generate(prompts, { ...options, maxTokens: 30 }), 99),
  );
  for (const given of [prompts, [[378], [403], [407]]]) {
    const remote = await rows(there.generate(given, { ...options, cache: far }), 2);
    expect(remote).toEqual(await rows(here.generate(given, { ...options, cache: near }), 2));
    expect(remote).toHaveLength(2);
    expect(await far.length).toBe(near.length);
  }
  const ids = [[1], [2], [3]];
  expect(await there.forward(ids, { cache: far })).toEqual(here.forward(ids, { cache: near }));
  await far.dispose();
  near.dispose();
});

test('the error of a refused checkpoint says why', async () => {
  const broken = { ...stories, config: { ...stories.config, hidden_act: 'swish2' } };
  expect(await outcome(() => openThere(broken))).toEqual(await outcome(() => open(broken)));
});

describe('generate in a worker', () => {
  const story = () => written(here.generate([1], { maxTokens: 200 }));

  test('generates the same, greedily and by sampling', async () => {
    expect(await written(there.generate([1], { maxTokens: 200 }))).toEqual(await story());
    const options = { maxTokens: 50, temperature: 1, topK: 20, topP: 0.9, seed: 7 };
    expect(await written(there.generate([1], options))).toEqual(await written(here.generate([1], options)));
  });

  test('continues from a cache, which keeps the tokens that its caller took', async () => {
    const expected = await story();
    for (const taken of [1, 3, 40]) {
      const cache = await there.createCache({ maxLength: 300 });
      const tokens = [];
      for await (const token of there.generate([1], { cache, maxTokens: 200 })) {
        tokens.push(token);
        if (tokens.length === taken) break;
      }
      expect(tokens).toEqual(expected.slice(0, taken));
      expect(await cache.length).toBe(taken);
      const rest = await written(there.generate([tokens.at(-1)!], { cache, maxTokens: 200 - taken }));
      expect(rest).toEqual(expected.slice(taken));
      await cache.dispose();
    }
  });

  test('ends when its signal aborts, and keeps the worker', async () => {
    const expected = await story();
    const cache = await there.createCache();
    const controller = new AbortController();
    const tokens = [];
    for await (const token of there.generate([1], { cache, signal: controller.signal })) {
      tokens.push(token);
      if (tokens.length === 7) controller.abort();
    }
    expect(tokens).toEqual(expected.slice(0, 7));
    expect(await cache.length).toBe(7);
    expect(await written(there.generate([1], { cache, signal: AbortSignal.abort() }))).toEqual([]);
    expect(await cache.length).toBe(7);
    expect(await there.forward([1])).toEqual(here.forward([1]));
  });

  test.each<[string, (model: AsyncModel, cache: Cache) => unknown]>([
    ['used by a pass', (model, cache) => model.forward([5, 6], { cache })],
    ['truncated', (_, cache) => cache.truncate(2)],
    ['reset', (_, cache) => cache.reset()],
    ['used by another generation', async (model, cache) => written(model.generate([7], { cache, maxTokens: 3 }))],
  ])('ends with a TypeError, as here, if its cache is %s between two tokens', async (_, act) => {
    const run = async (model: AsyncModel, taken: number): Promise<unknown[]> => {
      const cache = await model.createCache({ maxLength: 300 });
      const tokens = model.generate([1, 403], { cache });
      const seen: unknown[] = [];
      for (let i = 0; i < taken; ++i) seen.push((await tokens.next()).value);
      seen.push(await act(model, cache), await cache.length);
      seen.push(await tokens.next().catch((error: unknown) => String(error)), await cache.length);
      seen.push(await model.forward([9], { cache }));
      await cache.dispose();
      return seen;
    };
    for (const taken of [1, 2, 30]) {
      const expected = await run(asAsync(here), taken);
      expect(expected.at(-3)).toMatch(/^TypeError: generate: expected the cache to stay unchanged/);
      expect(await run(there, taken)).toEqual(expected);
    }
  });

  test('that is left while it waits never runs', async () => {
    const cache = await there.createCache({ maxLength: 300 });
    const controller = new AbortController();
    const first = there.generate([1], { maxTokens: 3 });
    await first.next();
    const waiting = written(there.generate([1], { cache, signal: controller.signal }));
    controller.abort();
    expect(await waiting).toEqual([]);
    expect(await cache.length).toBe(0);
    expect(await written(first)).toEqual((await story()).slice(1, 3));
  });

  test('gives the tokens before an error, and the cache keeps those that were taken', async () => {
    const { config, bytes } = checkpoint('gpt2');
    const weights = readSafetensors(bytes);
    const positions = Object.keys(weights).find((name) => name.endsWith('wpe.weight'))!;
    const { data, shape } = weights[positions]!;
    const broken = { ...weights, [positions]: { data: data.map((x, i) => (i >= 9 * shape[1]! ? NaN : x)), shape } };
    const remote = await openModel({ config, weights: broken, attention: worker });
    const local = await openModel({ config, weights: broken });
    const run = async (model: AsyncModel, most: number): Promise<unknown> => {
      const cache = await model.createCache();
      const tokens: unknown[] = [];
      try {
        for await (const token of model.generate([1, 2, 3], { cache })) if (tokens.push(token) === most) break;
      } catch (error) {
        tokens.push(String(error));
      }
      return { tokens, length: await cache.length };
    };
    for (const most of [1, 3, 99]) expect(await run(remote, most)).toEqual(await run(asAsync(local), most));
    local.dispose();
    await remote.dispose();
  });

  test('may alternate with other calls', async () => {
    const tokens = written(there.generate([1], { maxTokens: 20 }));
    const result = there.forward([1, 403]);
    expect(await tokens).toEqual((await story()).slice(0, 20));
    expect(await result).toEqual(here.forward([1, 403]));
  });

  test('fails when its worker ends', async () => {
    const own = await loadWorker();
    const model = await openModel({ config: stories.config, weights: stories.bytes, attention: own });
    const tokens = model.generate([1]);
    await tokens.next();
    own.dispose();
    await expect(written(tokens)).rejects.toThrow('generate: expected a worker in use, got a disposed one');
  });
});
