/** Small calls with known bits: what a call before them left behind would show. */
import type { MultiHeadAttention } from 'wasm-attention';
import { Random } from '../support/random.js';
import { allocator, attention } from './watched.js';

const random = new Random(1);
const [x, w] = [random.tensor([1, 5, 6]), random.tensor([6, 3, 3])];
const resident: MultiHeadAttention = new attention.MultiHeadAttention({
  numHiddens: 6,
  numHeads: 2,
  seed: 1,
});

/** One number for all of them: the bits of each result, mixed. */
function sing(): number {
  let hash = 0;
  const add = (data: Float32Array): void => {
    for (const bits of new Int32Array(data.buffer, data.byteOffset, data.length)) {
      hash = (Math.imul(hash, 31) + bits) | 0;
    }
  };
  add(attention.maskedSoftmax(x, [3]).data);
  add(attention.scaledDotProductAttention(x, x, x, { isCausal: true }).output.data);
  add(attention.conv1d({ data: x.data, shape: [1, 3, 10] }, w).data);
  add(attention.sinusoidalEncoding({ length: 3, dim: 5 }).data);
  add(resident.forward(x, x, x).output.data);
  return hash;
}

const song = sing();
const blocks = allocator.blocks.size;
const bytes = allocator.liveBytes;

/** Throws unless the small calls give their bits and nothing more is allocated than at first. */
export function expectUnharmed(): void {
  if (allocator.blocks.size !== blocks || allocator.liveBytes !== bytes) {
    throw new Error(
      `expected ${blocks} blocks of ${bytes} bytes, got ${allocator.blocks.size} of ${allocator.liveBytes}`,
    );
  }
  if (sing() !== song) throw new Error('a later call gave other bits');
}

/** The parameters of a layer that lives through everything. */
export const residentState = () => resident.stateDict();
