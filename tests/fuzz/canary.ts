/** Small calls whose results are known to the bit. If an earlier call did damage, they give other results. */
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

export const SMALL_CALLS: readonly (() => Float32Array)[] = [
  () => attention.maskedSoftmax(x, [3]).data,
  () => attention.scaledDotProductAttention(x, x, x, { isCausal: true }).output.data,
  () => attention.conv1d({ data: x.data, shape: [1, 3, 10] }, w).data,
  () => attention.sinusoidalEncoding({ length: 3, dim: 5 }).data,
  () => resident.forward(x, x, x).output.data,
];

/** Makes all calls and returns a hash of their results' bits. */
function hashOfResults(): number {
  let hash = 0;
  for (const call of SMALL_CALLS) {
    const { buffer, byteOffset, length } = call();
    for (const bits of new Int32Array(buffer, byteOffset, length)) hash = (Math.imul(hash, 31) + bits) | 0;
  }
  return hash;
}

const expected = hashOfResults();
const blocks = allocator.blocks.size;
const bytes = allocator.liveBytes;

/** Throws unless the small calls give the same bits as at first and no more memory is allocated. */
export function expectUnharmed(): void {
  if (allocator.blocks.size !== blocks || allocator.liveBytes !== bytes) {
    throw new Error(
      `expected ${blocks} blocks of ${bytes} bytes, got ${allocator.blocks.size} of ${allocator.liveBytes}`,
    );
  }
  if (hashOfResults() !== expected) throw new Error('expected the bits of the first calls, got others');
}
