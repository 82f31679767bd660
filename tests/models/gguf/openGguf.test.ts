/** GGUF files give the bits of the same model in safetensors. All architectures have all types in the long suite. */
import { describe, expect, test } from '@jest/globals';
import { writeSafetensors } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { BLOCKS } from '../../reference/blocks.js';
import { allocator, attention } from '../../fuzz/watched.js';
import { modelOf, PUBLISHED } from './published.js';
import { resultOf, run } from './results.js';
import { writeGguf, type WriteOptions } from './writer.js';

const architectures = Object.keys(PUBLISHED);
const types = Object.keys(BLOCKS);

test.each(architectures.map((architecture, i) => [architecture, types[(i + 2) % types.length]!]))(
  '%s in %s',
  async (architecture, type) => {
    const { keys, config } = PUBLISHED[architecture]!;
    const { tensors, expected } = modelOf(architecture, type);
    const wanted = await resultOf({ config, weights: new Uint8Array(writeSafetensors(expected)) });
    expect(await resultOf({ weights: writeGguf(keys, tensors) })).toEqual({ ...wanted, unused: [] });
  },
);

test.each<[string, WriteOptions, boolean?]>([
  ['version 2', { version: 2 }],
  ['an alignment of 8', { alignment: 8 }],
  ['an alignment of 4096', { alignment: 4096 }],
  ['tensors in another order', {}, true],
])('with %s, from memory and in pieces', async (_, options, isReversed = false) => {
  const { keys } = PUBLISHED.llama!;
  const { tensors } = modelOf('llama', 'Q5_0');
  const wanted = await resultOf({ weights: writeGguf(keys, tensors) });
  const live = allocator.liveBytes;
  const file = writeGguf(keys, isReversed ? tensors.toReversed() : tensors, options);
  expect(await resultOf({ weights: file })).toEqual(wanted);
  expect(await resultOf({ weights: [new Blob([file])] })).toEqual(wanted);
  // Not at a multiple of 4 bytes.
  const shifted = new Uint8Array(file.length + 1);
  shifted.set(file, 1);
  expect(await resultOf({ weights: shifted.subarray(1) })).toEqual(wanted);
  expect(allocator.liveBytes).toBe(live);
});

describe('without a tensor', () => {
  test.each(architectures)('%s names it', async (architecture) => {
    const { keys } = PUBLISHED[architecture]!;
    const { tensors } = modelOf(architecture, 'F32');
    for (const { name } of tensors) {
      const weights = writeGguf(
        keys,
        tensors.filter((each) => each.name !== name),
      );
      const error = await openModel({ weights, attention }).then(run, String);
      // What may be missing: a map that is the embedding then, and types of tokens.
      if (typeof error === 'string') expect(error).toContain(`'${name}'`);
      else expect(name).toMatch(/^(output|token_types)\.weight$/);
    }
  });
});
