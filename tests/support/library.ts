/** The library under test, loaded once for each test file, and its linear memory, which the library does not expose. */
import type { WasmAttention } from 'wasm-attention';
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
export const tensor: WasmAttention['tensor'] = (...call) => attention.tensor(...call);
export const maskedSoftmax: WasmAttention['maskedSoftmax'] = (...call) => attention.maskedSoftmax(...call);
export const matmul: WasmAttention['matmul'] = (...call) => attention.matmul(...call);
export const gelu: WasmAttention['gelu'] = (...call) => attention.gelu(...call);
export const silu: WasmAttention['silu'] = (...call) => attention.silu(...call);
export const scaledDotProductAttention: WasmAttention['scaledDotProductAttention'] = (...call) =>
  attention.scaledDotProductAttention(...call);
export const scaledDotProductAttentionBackward: WasmAttention['scaledDotProductAttentionBackward'] = (...call) =>
  attention.scaledDotProductAttentionBackward(...call);
export const additiveAttention: WasmAttention['additiveAttention'] = (...call) => attention.additiveAttention(...call);
export const additiveAttentionBackward: WasmAttention['additiveAttentionBackward'] = (...call) =>
  attention.additiveAttentionBackward(...call);
export const sinusoidalEncoding: WasmAttention['sinusoidalEncoding'] = (...call) =>
  attention.sinusoidalEncoding(...call);
export const encodingRotation: WasmAttention['encodingRotation'] = (...call) => attention.encodingRotation(...call);
export const rotaryEmbedding: WasmAttention['rotaryEmbedding'] = (...call) => attention.rotaryEmbedding(...call);
export const rotaryEmbeddingBackward: WasmAttention['rotaryEmbeddingBackward'] = (...call) =>
  attention.rotaryEmbeddingBackward(...call);
export const sinusoidalEncoding2d: WasmAttention['sinusoidalEncoding2d'] = (...call) =>
  attention.sinusoidalEncoding2d(...call);
export const alibiSlopes: WasmAttention['alibiSlopes'] = (...call) => attention.alibiSlopes(...call);
export const alibiBias: WasmAttention['alibiBias'] = (...call) => attention.alibiBias(...call);
export const t5RelativeBuckets: WasmAttention['t5RelativeBuckets'] = (...call) => attention.t5RelativeBuckets(...call);
export const t5RelativeBias: WasmAttention['t5RelativeBias'] = (...call) => attention.t5RelativeBias(...call);
export const t5RelativeBiasBackward: WasmAttention['t5RelativeBiasBackward'] = (...call) =>
  attention.t5RelativeBiasBackward(...call);
export const relativeShift: WasmAttention['relativeShift'] = (...call) => attention.relativeShift(...call);
export const relativeShiftBackward: WasmAttention['relativeShiftBackward'] = (...call) =>
  attention.relativeShiftBackward(...call);
export const conv1d: WasmAttention['conv1d'] = (...call) => attention.conv1d(...call);
export const rnn: WasmAttention['rnn'] = (...call) => attention.rnn(...call);
export const complexity: WasmAttention['complexity'] = (...call) => attention.complexity(...call);
export const softmaxCrossEntropy: WasmAttention['softmaxCrossEntropy'] = (...call) =>
  attention.softmaxCrossEntropy(...call);
