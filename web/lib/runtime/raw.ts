import type { Heap } from './memory.js';

/** The functions of cpp/bindings/bindings.cpp, in its order: addresses and numbers in, nothing out but sizes. */
export interface Raw extends Heap {
  /** The mark of the wasm for relaxed SIMD: it does nothing. */
  readonly relaxed?: () => void;
  maskedSoftmax(x: number, valid: number, out: number, rows: number, cols: number): void;
  scaledDotProductAttention(args: number): void;
  scaledDotProductAttentionScratch(args: number): number;
  scaledDotProductAttentionBackward(args: number): void;
  scaledDotProductAttentionBackwardScratch(args: number): number;
  additiveAttention(args: number): void;
  additiveAttentionScratch(args: number): number;
  additiveAttentionBackward(args: number): void;
  additiveAttentionBackwardScratch(args: number): number;
  packWeight(weight: number, packed: number, inputs: number, outputs: number): void;
  packWeightSize(inputs: number, outputs: number): number;
  multiHeadAttention(args: number): void;
  rotateHeadsBackward(gradient: number, table: number, tableBatch: number, batch: number, tokens: number, heads: number, width: number, rotaryWidth: number, interleaved: boolean): void; // prettier-ignore
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
  conv1d(x: number, weight: number, bias: number, scratch: number, out: number, batch: number, inChannels: number, outChannels: number, length: number, kernel: number, stride: number, padding: number, dilation: number, groups: number): void; // prettier-ignore
  conv1dScratch(inChannels: number, outChannels: number, length: number, kernel: number, groups: number): number; // prettier-ignore
  rnn(x: number, weightIh: number, weightHh: number, biasIh: number, biasHh: number, initial: number, scratch: number, out: number, batch: number, length: number, inWidth: number, width: number, relu: boolean): void; // prettier-ignore
  rnnScratch(batch: number, inWidth: number, width: number): number;
  linear(x: number, packed: number, bias: number, out: number, rows: number, inputs: number, outputs: number): void; // prettier-ignore
  linearBackward(gradOut: number, x: number, weight: number, scratch: number, gradX: number, gradWeight: number, gradBias: number, rows: number, inputs: number, outputs: number): void; // prettier-ignore
  linearBackwardScratch(rows: number, inputs: number, outputs: number): number;
  feedForward(x: number, packed1: number, bias1: number, packed2: number, bias2: number, hidden: number, scratch: number, out: number, rows: number, width: number, hiddenWidth: number, activation: number, seed: number, dropout: number): void; // prettier-ignore
  feedForwardScratch(rows: number, hiddenWidth: number): number;
  feedForwardBackward(gradOut: number, x: number, hidden: number, weight1: number, weight2: number, scratch: number, gradX: number, gradWeight1: number, gradBias1: number, gradWeight2: number, gradBias2: number, rows: number, width: number, hiddenWidth: number, activation: number, seed: number, dropout: number): void; // prettier-ignore
  feedForwardBackwardScratch(rows: number, width: number, hiddenWidth: number): number;
  layerNorm(x: number, weight: number, bias: number, out: number, rows: number, dim: number, eps: number): void; // prettier-ignore
  layerNormBackward(gradOut: number, x: number, weight: number, gradX: number, gradWeight: number, gradBias: number, rows: number, dim: number, eps: number): void; // prettier-ignore
  transformerEncoderLayer(args: number): void;
  transformerEncoderLayerScratch(args: number): number;
  transformerEncoderLayerKept(args: number): number;
  transformerEncoderLayerBackward(args: number): void;
  transformerEncoderLayerBackwardScratch(args: number): number;
  embedding(ids: number, table: number, out: number, count: number, dim: number): void;
  embeddingBackward(gradOut: number, ids: number, gradTable: number, count: number, dim: number): void;
  softmaxCrossEntropy(logits: number, targets: number, gradLogits: number, rows: number, classes: number): number; // prettier-ignore
  adam(parameter: number, gradient: number, mean: number, square: number, count: number, beta1: number, beta2: number, stepSize: number, rootCorrection: number, eps: number, weightDecay: number): void; // prettier-ignore
  sumOfSquares(x: number, count: number): number;
  scaleInPlace(x: number, count: number, factor: number): void;
}
