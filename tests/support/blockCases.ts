/**
 * A layer of an encoder or a decoder against the float64 oracle: outputs, weights, and the gradients of inputs and
 * parameters.
 */
import { expect } from '@jest/globals';
import type {
  Layer,
  Tensor,
  TensorLike,
  TransformerDecoderLayerOptions,
  TransformerEncoderLayerOptions,
} from 'wasm-attention';
import { transformerBlock, type BlockReferenceOptions, type State } from '../reference/transformerBlock.js';
import { EPS, expectClose, maxAbs, type Numbers } from './close.js';
import { dot, expectGradient } from './differences.js';
import { gradientsOf } from './gradientsOf.js';
import { attention } from './library.js';
import type { Random } from './random.js';

/**
 * A dozen sums of up to 40 products, one after the other; each product may add a rounding of EPS/2, which three norms
 * may double each. The oracle's gradients go through twice as many.
 */
export const BLOCK_ATOL = 12 * 40 * EPS;
const GRADIENT_RTOL = 4 * BLOCK_ATOL;

/** The settings of language models' layers. */
export const MODERN = {
  norm: 'pre',
  normType: 'rms',
  feedForward: 'gated',
  bias: false,
  numKvHeads: 2,
  headDim: 6,
  qkNorm: true,
  rotary: {},
} as const;

/** Gives norms weights other than 1, and biases other than 0. */
function varied<T extends Omit<Layer, 'forward'>>(layer: T, random: Random): T {
  for (const parameter of layer.parameters()) {
    if (parameter.shape.length > 1) continue;
    const { data } = random.tensor(parameter.shape);
    parameter.set(parameter.name.includes('norm') ? data.map((value) => 1 + value / 3) : data);
  }
  return layer;
}

/** An encoder layer of width 8 with parameters that are varied by `random`. */
export function encoderOf(random: Random, options: Partial<TransformerEncoderLayerOptions> = {}) {
  const sizes = { numHiddens: 8, numHeads: 4, ffnHiddens: 10, seed: 3 };
  return varied(new attention.TransformerEncoderLayer({ ...sizes, ...options }), random);
}

/** The same for a decoder layer. */
export function decoderOf(random: Random, options: Partial<TransformerDecoderLayerOptions> = {}) {
  const sizes = { numHiddens: 8, numHeads: 2, ffnHiddens: 10, seed: 3 };
  return varied(new attention.TransformerDecoderLayer({ ...sizes, ...options }), random);
}

interface Pass {
  readonly output: Tensor;
  readonly weights?: Tensor;
  readonly crossWeights?: Tensor;
  readonly backward?: (gradOutput: TensorLike) => { input: Tensor; memory?: Tensor };
}

/** `inference` and `training` are passes of the layer with the same inputs and options. */
export function expectBlock(
  layer: Omit<Layer, 'forward'>,
  inference: Pass,
  training: Pass,
  { x, memory, g }: { x: Numbers; memory?: Numbers; g: Tensor },
  options: BlockReferenceOptions,
): void {
  const state = layer.stateDict();
  const run = (at: State) =>
    transformerBlock(at.input ?? x, memory && (at.memory ?? memory), { ...state, ...at }, options);
  const expected = run({});
  const scale = Math.max(1, maxAbs(expected.output.data));
  expectClose(inference.output, expected.output, { atol: BLOCK_ATOL * scale });
  expectClose(inference.weights, expected.weights, { atol: BLOCK_ATOL });
  if (memory) expectClose(inference.crossWeights, expected.crossWeights!, { atol: BLOCK_ATOL });
  expect(training.output).toEqual(inference.output);
  const gradients: Record<string, Tensor> = { ...training.backward!(g), ...gradientsOf(layer) };
  const names = [...Object.keys(state), 'input', ...(memory ? ['memory'] : [])];
  expect(Object.keys(gradients).sort()).toEqual(names.sort());
  for (const [name, gradient] of Object.entries(gradients)) {
    const at = name === 'input' ? x : name === 'memory' ? memory! : state[name]!;
    expectGradient(gradient, at, (moved) => dot(run({ [name]: moved }).output.data, g.data), GRADIENT_RTOL);
  }
}
