/**
 * A layer of an encoder or a decoder against the float64 oracle: outputs, weights, and the gradients of inputs and
 * parameters.
 */
import { expect } from '@jest/globals';
import type { Layer, Tensor, TensorLike } from 'wasm-attention';
import { transformerBlock, type BlockReferenceOptions, type State } from '../reference/transformerBlock.js';
import { EPS, expectClose, maxAbs, type Numbers } from './close.js';
import { dot, expectGradient } from './differences.js';
import { gradientsOf } from './gradientsOf.js';
import type { Random } from './random.js';

/**
 * A dozen sums of up to 40 products, one after the other; each product may add a rounding of EPS/2, which three norms
 * may double each. The oracle's gradients go through twice as many.
 */
export const BLOCK_ATOL = 12 * 40 * EPS;
const GRADIENT_RTOL = 4 * BLOCK_ATOL;

/** What the layers of language models have. */
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
export function vary(layer: Omit<Layer, 'forward'>, random: Random): void {
  for (const parameter of layer.parameters()) {
    if (parameter.shape.length > 1) continue;
    const { data } = random.tensor(parameter.shape);
    parameter.set(parameter.name.includes('norm') ? data.map((value) => 1 + value / 3) : data);
  }
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
