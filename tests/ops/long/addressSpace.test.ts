/** Fills the address space of the wasm, which takes half a minute. */
import { expect, test } from '@jest/globals';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';

const sequence = new Random(1).tensor([1, 256, 64]);
const layer = new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1 });

test('running out of memory near the end of the address space is refused, and earlier data stays intact', () => {
  const expected = layer.forward(sequence, sequence, sequence);
  // 4 GB of addresses have room for 1.9 GB of keys, but not for another 1.9 GB of values besides the data that is there
  // already. The end of that block would wrap around to small addresses.
  const maxLength = Math.floor(1.9e9 / 4 / 64);
  for (let i = 0; i < 2; ++i) {
    expect(() => layer.createCache({ batch: 1, maxLength: 2 * maxLength })).toThrow(
      /^createCache: expected \d+ free bytes, got out of memory$/,
    );
    expect(() => {
      const caches = [1, 2].map(() => layer.createCache({ batch: 1, maxLength }));
      for (const cache of caches) cache.dispose();
    }).toThrow(/^createCache: expected \d+ free bytes, got out of memory$/);
  }
  expect(layer.forward(sequence, sequence, sequence)).toEqual(expected);
});
