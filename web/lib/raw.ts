import type { Heap } from './memory.js';

/** The functions of cpp/bindings/bindings.cpp, in its order: addresses and numbers in, nothing out but sizes. */
export interface Raw extends Heap {
  maskedSoftmax(x: number, valid: number, out: number, rows: number, cols: number): void;
  scaledDotProductAttention(args: number): void;
  scaledDotProductAttentionScratch(args: number): number;
  scaledDotProductAttentionBackward(args: number): void;
  scaledDotProductAttentionBackwardScratch(args: number): number;
  packWeight(weight: number, packed: number, inputs: number, outputs: number): void;
  packWeightSize(inputs: number, outputs: number): number;
  multiHeadAttention(args: number): void;
  /** In float64s, as is sinusoidalEncodingScratch. */
  sinusoidalFrequenciesSize(dim: number): number;
  sinusoidalFrequencies(out: number, dim: number, base: number): void;
  sinusoidalEncodingScratch(dim: number): number;
  sinusoidalEncoding(frequencies: number, scratch: number, out: number, rows: number, dim: number, offset: number, concatenated: boolean): void; // prettier-ignore
  sinusoidalEncodingAt(frequencies: number, positions: number, out: number, rows: number, dim: number, concatenated: boolean): void; // prettier-ignore
  encodingRotation(frequencies: number, out: number, dim: number, delta: number): void;
  scaleFrequencies(frequencies: number, factors: number, dim: number): void;
  rotaryTable(frequencies: number, positions: number, scratch: number, out: number, rows: number, dim: number, offset: number, amplitude: number): void; // prettier-ignore
  rotaryEmbedding(x: number, table: number, out: number, heads: number, rows: number, width: number, rotaryWidth: number, interleaved: boolean): void; // prettier-ignore
  rotaryEmbeddingBackward(gradOut: number, table: number, gradX: number, heads: number, rows: number, width: number, rotaryWidth: number, interleaved: boolean): void; // prettier-ignore
  addPositions(x: number, table: number, out: number, batch: number, rows: number, dim: number, seed: number, dropout: number): void; // prettier-ignore
  addPositionsBackward(gradOut: number, gradX: number, gradTable: number, batch: number, rows: number, dim: number, seed: number, dropout: number): void; // prettier-ignore
  conv1dLength(length: number, kernel: number, stride: number, padding: number, dilation: number): number;
  conv1d(x: number, weight: number, bias: number, out: number, batch: number, inChannels: number, outChannels: number, length: number, kernel: number, stride: number, padding: number, dilation: number, groups: number): void; // prettier-ignore
  rnn(x: number, weightIh: number, weightHh: number, biasIh: number, biasHh: number, initial: number, scratch: number, out: number, batch: number, length: number, inWidth: number, width: number, relu: boolean): void; // prettier-ignore
  rnnScratch(batch: number, inWidth: number, width: number): number;
}
