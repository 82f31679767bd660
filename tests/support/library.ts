/** The library under test, loaded once for each test file, and its linear memory, which the library does not expose. */
import { load, loadWatching, RELAXED, THREADS } from './instance.js';

// With several threads there are two modules: the one that the threads share, and one that only the caller uses.
const memories: WebAssembly.Memory[] = [];

export const attention = await loadWatching(load, (watched) => {
  memories.push(watched.memory);
  return watched.instance;
});
if (attention.features.threads !== THREADS) throw new Error(`expected ${THREADS} threads`);
if ((attention.features.simd === 'relaxed-simd') !== RELAXED) throw new Error('expected the other wasm');

/** Bytes of linear memory, which never shrinks. */
export function heapBytes(): number {
  if (memories.length === 0) throw new Error('the library was not instantiated through WebAssembly.instantiate');
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

/** Throws if the memory grows while `call` is made `times` times, after one call that may grow it. */
export function expectNoGrowth(times: number, call: () => void): void {
  call();
  const before = heapBytes();
  for (let i = 0; i < times; ++i) call();
  if (heapBytes() !== before) throw new Error(`expected a heap of ${before} bytes, got ${heapBytes()}`);
}

// The operations as functions, so that a test reads like the formula that it checks.
export const {
  tensor,
  maskedSoftmax,
  matmul,
  gelu,
  silu,
  scaledDotProductAttention,
  scaledDotProductAttentionBackward,
  additiveAttention,
  additiveAttentionBackward,
  sinusoidalEncoding,
  encodingRotation,
  rotaryEmbedding,
  rotaryEmbeddingBackward,
  sinusoidalEncoding2d,
  alibiSlopes,
  alibiBias,
  t5RelativeBuckets,
  t5RelativeBias,
  t5RelativeBiasBackward,
  relativeShift,
  relativeShiftBackward,
  conv1d,
  rnn,
  complexity,
  softmaxCrossEntropy,
} = attention;
