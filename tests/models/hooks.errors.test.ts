/** What hooks may do during a pass, and what is an error. */
import { describe, expect, jest, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import type { Model, ModelCache, ModelHooks } from 'wasm-attention/models';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { attention } from '../support/library.js';
import { checkpoint, open } from './fixtures.js';

describe('a hook', () => {
  const { expected, ...files } = checkpoint('llama-grouped');
  const [ids] = expected.ids as [number[]];

  test('may call the library, and another model', async () => {
    const [model, other] = [await open(files), await open(files)];
    const plain = model.forward(ids).hidden;
    const inner: Tensor[] = [];
    const { hidden } = model.forward(ids, {
      hooks: {
        'blocks.1.attn.hook_q': (q) => {
          attention.scaledDotProductAttention(q, q, q);
          inner.push(other.forward(ids).hidden);
        },
      },
    });
    expect(hidden).toEqual(plain);
    expect(inner).toEqual([plain]);
    for (const each of [model, other]) each.dispose();
  });

  test.each<[string, (value: Tensor) => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
      /^mine$/,
    ],
    [
      'returns another shape',
      ({ data }) => ({ data, shape: [data.length] }),
      /hook 'blocks\.1\.hook_mlp_out' to return a tensor of shape/,
    ],
    ['returns no tensor', () => 1, /expected what hook 'blocks\.1\.hook_mlp_out' returns/],
  ])('that %s stops the pass, and the next one is right', async (_, hook, message) => {
    const model = await open(files);
    const plain = model.forward(ids).hidden;
    const cache = model.createCache({ maxLength: 32 });
    const hooks = { 'blocks.1.hook_mlp_out': hook as ModelHooks[string] };
    expect(() => model.forward(ids, { hooks, cache })).toThrow(message);
    expect(cache.length).toBe(0);
    expect(model.forward(ids).hidden).toEqual(plain);
    model.dispose();
  });

  test.each<[string, (model: Model, cache: ModelCache) => unknown]>([
    ['runs the model', (model) => model.forward([1])],
    ['runs it with the cache', (model, cache) => model.forward([1], { cache })],
    ['embeds', (model) => model.embed([1])],
    ['disposes the model', (model) => model.dispose()],
    ['makes a cache', (model) => model.createCache()],
    ['truncates the cache', (_, cache) => cache.truncate(1)],
    ['resets the cache', (_, cache) => cache.reset()],
    ['reorders the cache', (_, cache) => cache.reorder([0])],
    ['disposes the cache', (_, cache) => cache.dispose()],
  ])('that %s gets a TypeError, which it may catch', async (_, act) => {
    const model = await open(files);
    const cache = model.createCache({ maxLength: 32 });
    model.forward(ids.slice(0, 4), { cache });
    const plain = model.forward(ids.slice(0, 5)).logits!.data.subarray(-model.vocabSize);
    const name = 'blocks.0.attn.hook_v';
    const hook = (): void => void act(model, cache);
    expect(() => model.forward([ids[4]!], { cache, hooks: { [name]: hook } })).toThrow(TypeError);
    expect(() => model.forward([ids[4]!], { cache, hooks: { [name]: hook } })).toThrow(/between passes/);
    expect(cache.length).toBe(4);
    const caught = jest.fn(() => expect(hook).toThrow(TypeError));
    const { logits } = model.forward([ids[4]!], { cache, hooks: { [name]: caught } });
    expect(caught).toHaveBeenCalledTimes(1);
    expectClose(logits, { data: plain, shape: [1, 1, model.vocabSize] }, { atol: 64 * EPS * maxAbs(plain) });
    expect(cache.length).toBe(5);
    model.dispose();
  });

  test('with an unknown name is a TypeError, and so is anything but a function', async () => {
    const model = await open(files);
    for (const name of [
      'blocks.0.attn.hook_zz',
      'blocks.2.attn.hook_z',
      'blocks.0.hook_normalized_resid_post',
      'nope',
    ]) {
      expect(() => model.forward(ids, { hooks: { [name]: () => undefined } })).toThrow(TypeError);
    }
    expect(() => model.forward(ids, { hooks: { hook_embed: 1 } as never })).toThrow(
      /hook 'hook_embed' to be a function/,
    );
    expect(() => model.forward(ids, { hooks: { hook_embed: { data: [1], shape: [2] } } })).toThrow(/hook 'hook_embed'/);
    expect(() => model.forward(ids, { hooks: { hook_embed: { data: [1], shape: [1] } } })).toThrow(
      /hook 'hook_embed' to return a tensor/,
    );
    for (const hooks of [1, [() => undefined], new Map([['hook_embed', () => undefined]])]) {
      expect(() => model.forward(ids, { hooks: hooks as never })).toThrow(/hooks to be an object of functions/);
    }
    model.dispose();
  });
});

test.each<[string, string[]]>([
  ['gpt2', ['mlp.hook_pre_linear']],
  ['bert-padded', ['mlp.hook_pre_linear']],
  ['phi', ['ln2.hook_normalized', 'mlp.hook_pre_linear', 'hook_resid_mid']],
  ['olmo2', ['ln1.hook_normalized', 'ln2.hook_normalized', 'hook_normalized_resid_post']],
  ['modernbert-fill-mask', ['ln1.hook_normalized']],
  ['llama-grouped', ['mlp.hook_gate', 'hook_normalized_resid_post', 'attn.hook_results', 'ln3.hook_normalized']],
])('a block of %s has no %j', async (name, hooks) => {
  const model = await open(checkpoint(name));
  for (const hook of hooks) {
    const running = () => model.forward([5, 6], { hooks: { [`blocks.0.${hook}`]: () => undefined } });
    expect(running).toThrow(TypeError);
    expect(running).toThrow(new RegExp(`^forward: expected known hooks .*, got 'blocks\\.0\\.${hook}'$`));
  }
  model.dispose();
});

test('names and shapes that depend on the family are as in the guide', async () => {
  const shapesOf = async (name: string, hook: string): Promise<number[] | undefined> => {
    const model = await open(checkpoint(name));
    let shape: number[] | undefined;
    const see = (value: Tensor): void => void (shape = [...value.shape]);
    try {
      model.forward([5, 6, 7], { hooks: { [hook]: see } });
    } catch (error) {
      expect((error as Error).message).toMatch(/expected known hooks/);
    }
    model.dispose();
    return shape;
  };
  expect(await shapesOf('albert-shared', 'hook_embed')).toEqual([1, 3, 10]);
  expect(await shapesOf('bert-padded', 'hook_embed')).toEqual([1, 3, 24]);
  expect(await shapesOf('bert-padded', 'ln_final.hook_normalized')).toBeUndefined();
  expect(await shapesOf('gpt2', 'ln_final.hook_normalized')).toEqual([1, 3, 24]);
  expect(await shapesOf('gpt-neox', 'blocks.0.hook_resid_mid')).toBeUndefined();
  expect(await shapesOf('bert-padded', 'blocks.0.hook_resid_mid')).toEqual([1, 3, 24]);
});
