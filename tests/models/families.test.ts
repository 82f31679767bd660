/** Each family, through its checkpoints in tests/fixtures/models. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readSafetensors } from 'wasm-attention';
import { openModel, type ModelResult } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { checkpoint, checkpoints, families } from './fixtures.js';
import { pictureFamilies } from './pictures/fixtures.js';

test('every family has a checkpoint', () => {
  const tested = checkpoints.map((name) => checkpoint(name).config.model_type as string);
  expect([...new Set(tested), ...pictureFamilies].sort()).toEqual(families);
});

test('the guide lists every family', () => {
  const guide = readFileSync('web/docs/real-models.md', 'utf8');
  const [, list = ''] = /^Families, by `config\.model_type`:([^.]*)/m.exec(guide) ?? [];
  const listed = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual(families);
});

describe.each(checkpoints)('%s', (name) => {
  const { config, bytes, expected } = checkpoint(name);
  const tensors = readSafetensors(bytes);
  const resultsOf = async (weights: typeof tensors): Promise<ModelResult> => {
    const model = await openModel({ config, weights, attention });
    const results = model.forward(expected.ids);
    model.dispose();
    return results;
  };

  test('without one of its tensors it is refused by that name, or lacks a result', async () => {
    const all = await resultsOf(tensors);
    for (const missing of Object.keys(tensors)) {
      const { [missing]: _, ...others } = tensors;
      const before = [allocator.liveBytes, allocator.calls];
      const results = await resultsOf(others).catch((error: unknown) => error as RangeError);
      if (results instanceof Error) {
        expect(results).toBeInstanceOf(RangeError);
        expect(results.message).toBe(`openModel: expected a tensor '${missing}', got none`);
        expect([allocator.liveBytes, allocator.calls]).toEqual(before);
      } else {
        expect([missing, Object.keys(results).length]).toEqual([missing, Object.keys(all).length - 1]);
      }
    }
  });
});
