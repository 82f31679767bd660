/** The tolerances of MultiHeadAttention, with their reasons, and the comparison of a forward pass. */
import type { MultiHeadAttentionOptions } from 'wasm-attention';
import { WEIGHT_RTOL } from './attentionTolerance.js';
import { EPS, expectClose, maxAbs, type Numbers, type Tolerance } from './close.js';
import { attention } from './library.js';

/**
 * There is a projection before the attention and one after it, each a sum of up to 100 products of unit size. Their
 * roundings of 2^-24 add up at random; five standard deviations are 12·EPS for each projection. The attention itself
 * takes 32·EPS (WEIGHT_RTOL).
 */
export const OUTPUT_ATOL = 64 * EPS;

/**
 * The error of a gradient, relative to its largest element. It goes through two projections, through the attention in
 * both directions and through a sum over the rows of the batch. As in the forward pass each step stays within 32·EPS;
 * 256·EPS has room for eight steps.
 */
export const GRADIENT_RTOL = 256 * EPS;

export const outputTolerance = ({ data }: Numbers): Tolerance => ({
  atol: OUTPUT_ATOL * Math.max(1, maxAbs(data)),
});

/** A layer, and its parameters by name. */
export function layerOf(options: MultiHeadAttentionOptions) {
  const layer = new attention.MultiHeadAttention({ seed: 1, ...options });
  return { layer, state: layer.stateDict() };
}

export function expectForward(
  actual: { output: Numbers; weights?: Numbers },
  expected: { output: Numbers; weights: Numbers },
): void {
  expectClose(actual.output, expected.output, outputTolerance(expected.output));
  if (actual.weights) expectClose(actual.weights, expected.weights, { rtol: 2 * WEIGHT_RTOL, atol: 2 ** -126 });
}
