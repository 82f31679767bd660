/** All architectures with all types give the bits of the same model in safetensors. */
import { describe, expect, test } from '@jest/globals';
import { writeSafetensors } from 'wasm-attention';
import { BLOCKS } from '../../../reference/blocks.js';
import { modelOf, PUBLISHED } from '../published.js';
import { resultOf } from '../results.js';
import { writeGguf } from '../writer.js';

describe.each(Object.keys(PUBLISHED))('%s', (architecture) => {
  const { keys, config } = PUBLISHED[architecture]!;

  test.each(Object.keys(BLOCKS))('with matrices in %s', async (type) => {
    const { tensors, expected } = modelOf(architecture, type);
    const weights = new Uint8Array(writeSafetensors(expected));
    for (const weightType of ['float32', 'float16', 'int8', 'int8-fine'] as const) {
      const wanted = await resultOf({ config, weights, weightType });
      expect(wanted.isFinite).toBe(true);
      expect(await resultOf({ weights: writeGguf(keys, tensors), weightType })).toEqual(wanted);
    }
  });
});
