/** Manipulated configs and files are refused with the library's errors, and do no other harm. */
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { checkpoint, checkpoints } from '../fixtures.js';
import { strange } from '../strange.js';

// By name, so that counterexamples are short.
const all = new Map(checkpoints.map((name) => [name, checkpoint(name)]));
/** Opens and uses a model; it may be refused with an error of the library. */
async function open(config: unknown, weights: Uint8Array<ArrayBuffer>, ids: number[][]): Promise<boolean> {
  let model;
  try {
    model = await openModel({ config, weights, attention });
    model.forward(ids.map((row) => row.slice(0, 3)));
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    expect(['RangeError', 'TypeError']).toContain(name);
    expect(message).toMatch(/^(openModel|forward): expected /);
    return false;
  } finally {
    model?.dispose();
  }
}

// The module keeps a block from its first call on.
beforeAll(async () => {
  const { config, bytes, expected } = checkpoint('gpt2');
  await open(config, bytes, expected.ids);
});

test('configs with some changed fields', async () => {
  let [opened, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...checkpoints),
      fc.array(fc.tuple(fc.nat(), strange), { minLength: 1, maxLength: 3 }),
      async (name, changes) => {
        const { config, bytes, expected } = all.get(name)!;
        const live = allocator.liveBytes;
        const names = [
          ...Object.keys(config),
          'rope_scaling',
          'rope_parameters',
          'head_dim',
          'layer_types',
          'sliding_window',
          'use_sliding_window',
          'eos_token_id',
          'pad_token_id',
          'architectures',
          'num_hidden_groups',
          'id2label',
          'num_labels',
          'attention_bias',
        ];
        const changed = { ...config };
        for (const [i, value] of changes) changed[names[i % names.length]!] = value;
        if (await open(changed, bytes, expected.ids)) opened += 1;
        else refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  // Some changes have no effect, or change fields that a family does not read.
  expect(opened).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(500);
});

test('files with some bytes changed or missing', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...checkpoints),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (name, changes, share, cut) => {
        const { config, bytes, expected } = all.get(name)!;
        const live = allocator.liveBytes;
        const file = cut ? bytes.slice(0, Math.floor(share * bytes.length)) : bytes.slice();
        const header = Math.min(file.length, 8 + new DataView(bytes.buffer).getUint32(0, true));
        for (const [at, byte] of changes) if (header > 0) file[at % header] = byte;
        if (!(await open(config, file, expected.ids))) refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(700);
  // The module still gives the right results.
  const { config, bytes, expected } = checkpoint('gpt2');
  const model = await openModel({ config, weights: bytes, attention });
  const first = model.forward(expected.ids);
  expect(model.forward(expected.ids)).toEqual(first);
  model.dispose();
});

test('a config that contains itself', async () => {
  const { config, bytes, expected } = checkpoint('gpt2');
  const circle: Record<string, unknown> = { ...config };
  circle.self = circle;
  expect(await open(circle, bytes, expected.ids)).toBe(false);
});
