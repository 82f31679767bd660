/** The wasm memory that models take and free. */
import { expect, test } from '@jest/globals';
import { readSafetensors } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { allocator, attention as watched, loadWatched } from '../../fuzz/watched.js';
import { load } from '../../support/instance.js';
import { checkpoint } from '../fixtures.js';
import { safetensors } from '../halves.js';

test('a model frees its memory', async () => {
  const { config, bytes, expected } = checkpoint('albert-shared');
  const once = async (): Promise<void> => {
    const seen: number[] = [];
    const onProgress = (done: number, total: number): void => void seen.push(done / total);
    const model = await openModel({ config, weights: bytes, attention: watched, onProgress });
    expect(seen.at(-1)).toBe(1);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    model.forward(expected.ids, { needWeights: true, needHiddenStates: true });
    model.dispose();
  };
  await once();
  const [live, heap] = [allocator.liveBytes, allocator.heapBytes];
  for (let i = 0; i < 100; ++i) await once();
  expect([allocator.liveBytes, allocator.heapBytes]).toEqual([live, heap]);
});

test('a model takes little more wasm memory than its parameters', async () => {
  const { config, bytes } = checkpoint('llama-grouped');
  // A large vocabulary of 2-byte numbers: 15 MB, which makes whole pages negligible.
  const rows = 60_000;
  const shape = [rows, config.hidden_size as number];
  const names = ['model.embed_tokens.weight', 'lm_head.weight'];
  const table = { dtype: 'BF16', shape, data: new Uint16Array(shape[0]! * shape[1]!) };
  const kept = Object.entries(readSafetensors(bytes)).map(
    ([name, tensor]) => [name, { dtype: 'F32', ...tensor }] as const,
  );
  // A head that equals the embedding would take no memory.
  const head = { ...table, data: table.data.map(() => 0x3f80) };
  const file = safetensors({ ...Object.fromEntries(kept), [names[0]!]: table, [names[1]!]: head });
  const { attention: fresh, allocator: own } = await loadWatched(load);
  const before = own.heapBytes;
  const model = await openModel({ config: { ...config, vocab_size: rows }, weights: file, attention: fresh });
  expect(model.parameterBytes).toBeGreaterThan(8 * rows * 32);
  expect(own.heapBytes - before).toBeLessThan(1.15 * model.parameterBytes);
  model.dispose();
});
