import { expect, test } from '@jest/globals';
// A detail that a model does not show: each block's bits.
import { typeOf } from '../../../web/lib/models/gguf/blocks.js';
import { readFloats } from '../../../web/lib/safetensors/file.js';
import { BLOCKS, dequantised } from '../../reference/blocks.js';
import { Random } from '../../support/random.js';

/** Bits of floats, but for the sign of zeros and what is in a NaN. */
const bitsOf = (floats: Float32Array): Uint32Array =>
  new Uint32Array(floats.map((x) => (Number.isNaN(x) ? NaN : x + 0)).buffer);

// C++ reads Q8_0: tests/native/file_numbers_test.cpp.
const { Q8_0: _, ...READ_HERE } = BLOCKS;

test.each(Object.entries(READ_HERE))('%s: any bits give the values of the definition', (name, block) => {
  const random = new Random(1);
  const { size, values } = block;
  const blocks = 512;
  const bytes = Uint8Array.from({ length: blocks * size }, () => random.integer(0, 255));
  // Subnormal scales.
  for (let i = 0; i < 64; ++i) for (const at of block.halves) bytes[i * size + at + 1]! &= 0x83;
  const { name: dtype, read } = typeOf(block.number);
  expect(dtype).toBe(name);
  const entry = { name, dtype, shape: [], begin: 0, end: 0, bytes, ...(read && { read }) };
  const expected = dequantised(block, bytes);
  expect(expected).toHaveLength(blocks * values);
  expect(bitsOf(readFloats(entry))).toEqual(bitsOf(expected));
  // From the middle of a block.
  for (const [begin, end] of [
    [values, 3 * values],
    [1, 2],
    [values - 1, 2 * values + 1],
    [5 * values, 5 * values],
  ] as const) {
    expect(bitsOf(readFloats(entry, begin, end))).toEqual(bitsOf(expected.slice(begin, end)));
  }
});
