/** What the tests of MultiHeadAttention's forward pass share. */
import type { MultiHeadAttentionOptions } from 'wasm-attention';
import { WEIGHT_RTOL } from './attentionTolerance.js';
import { EPS, expectClose, maxAbs, type Numbers, type Tolerance } from './close.js';
import { attention } from './library.js';

/**
 * Projections of up to 100 unit products on either side of the attention: roundings of 2^-24 that walk at random, 12·EPS at five
 * standard deviations each, on top of the attention's own 32·EPS.
 */
export const OUTPUT_ATOL = 64 * EPS;

export const outputTolerance = ({ data }: Numbers): Tolerance => ({
  atol: OUTPUT_ATOL * Math.max(1, maxAbs(data)),
});

/** A layer with known parameters, biases too where it has them. */
export function layerOf(options: MultiHeadAttentionOptions) {
  const layer = new attention.MultiHeadAttention({ seed: 1, ...options });
  return { layer, state: layer.stateDict() };
}

export function expectForward(
  actual: { output: Numbers; weights?: Numbers },
  expected: { output: Numbers; weights: Numbers },
): void {
  expectClose(actual.output, expected.output, outputTolerance(expected.output));
  if (actual.weights)
    expectClose(actual.weights, expected.weights, { rtol: 2 * WEIGHT_RTOL, atol: 2 ** -126 });
}
