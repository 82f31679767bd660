/** What a model holds: nothing of its file once it is open, and nothing of itself once it is disposed. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { readSafetensors } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { attention } from '../support/library.js';
import { collect } from '../support/collect.js';
import { allocator, attention as watched } from '../fuzz/watched.js';
import { checkpoint, checkpoints } from './fixtures.js';

/** Opens a copy of a checkpoint, of which nothing may be left. */
async function opened(name: string, form: 'file' | 'tensors'): Promise<{ model: Model; copy: WeakRef<object>[] }> {
  const { config, bytes } = checkpoint(name);
  const file = bytes.slice();
  const tensors = readSafetensors(file);
  const parts: object[] =
    form === 'file' ? [file, file.buffer] : Object.values(tensors).flatMap(({ data }) => [data, data.buffer]);
  const copy = parts.map((part) => new WeakRef(part));
  const model = await openModel({ config, weights: form === 'file' ? file : tensors, attention });
  return { model, copy };
}

/** Waits until nothing is left: V8's compiler, which runs beside the program, holds what it compiles. */
async function expectReleased(refs: readonly WeakRef<object>[]): Promise<void> {
  const left = (): number => refs.filter((ref) => ref.deref() !== undefined).length;
  for (let round = 0; round < 100 && left() > 0; ++round) {
    await setTimeout(20);
    await collect();
  }
  expect(left()).toBe(0);
}

describe.each(checkpoints)('%s', (name) => {
  test.each(['file', 'tensors'] as const)('holds nothing of its %s', async (form) => {
    const { model, copy } = await opened(name, form);
    model.forward([1, 2]);
    await expectReleased(copy);
    model.dispose();
  });
});

test('an error of openModel holds nothing of the file', async () => {
  const { config, bytes } = checkpoint('llama-grouped');
  let held: WeakRef<object>[] = [];
  const attempt = async (): Promise<unknown> => {
    const file = bytes.slice();
    held = [new WeakRef(file), new WeakRef(file.buffer)];
    return openModel({ config: { ...config, num_hidden_layers: 3 }, weights: file, attention }).catch(
      (error: unknown) => error,
    );
  };
  const error = await attempt();
  await expectReleased(held);
  expect((error as Error).message).toContain("'model.layers.2");
});

test('a thousand models that were opened, used and disposed leave nothing', async () => {
  const { config, bytes } = checkpoint('llama-grouped');
  const before = allocator.liveBytes;
  const refs: WeakRef<object>[] = [];
  const use = (model: Model, i: number): void => {
    const cache = model.createCache({ maxLength: 8 });
    if (i % 100 === 0) model.forward([1, 2, 3], { cache });
    refs.push(new WeakRef(model), new WeakRef(cache));
    cache.dispose();
    model.dispose();
  };
  for (let i = 0; i < 1000; ++i) {
    await openModel({ config, weights: bytes, attention: watched }).then((model) => use(model, i));
  }
  expect(allocator.liveBytes).toBe(before);
  await expectReleased(refs);
});

test.each(['float32', 'float16', 'int8'] as const)(
  'a layer holds nothing of its state dict, in %s',
  async (weightType) => {
    const layer = new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 2, weightType });
    const refs = (() => {
      const state = layer.stateDict();
      layer.loadStateDict(state);
      return Object.values(state).flatMap(({ data }) => [new WeakRef(data), new WeakRef(data.buffer)]);
    })();
    await expectReleased(refs);
    layer.dispose();
  },
);
