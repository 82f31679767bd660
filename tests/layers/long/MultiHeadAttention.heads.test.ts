/** The heads of a layer against float64: their width, norms of queries and keys, and biases of some projections. */
import { expect, test } from '@jest/globals';
import type { MultiHeadAttentionOptions } from 'wasm-attention';
import { multiHeadAttention as reference } from '../../reference/multiHeadAttention.js';
import { expectClose, type Numbers } from '../../support/close.js';
import { dot, expectGradient } from '../../support/differences.js';
import { gradientsOf } from '../../support/gradientsOf.js';
import { attention } from '../../support/library.js';
import { GRADIENT_RTOL, OUTPUT_ATOL, outputTolerance } from '../../support/multiHeadTolerance.js';
import { Random } from '../../support/random.js';

const NAME = 'MultiHeadAttention';
const random = new Random(1);
const [q, k, v] = [random.tensor([2, 4, 12]), random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];
const g = random.tensor([2, 4, 12]);

/** A layer whose norms have weights other than 1. */
function make(options: Partial<MultiHeadAttentionOptions>) {
  const layer = new attention.MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 3, ...options });
  for (const parameter of layer.parameters()) {
    if (parameter.name.includes('norm')) parameter.set(random.tensor(parameter.shape).data);
  }
  return layer;
}

const turned = { rotary: { queries: {}, keys: {} } };
const CASES: [string, Partial<MultiHeadAttentionOptions>, object][] = [
  ['wide heads', { headDim: 10, bias: true }, {}],
  ['narrow heads', { headDim: 2 }, {}],
  ['heads that do not divide the width', { numHeads: 5, headDim: 3 }, {}],
  ['wide heads in groups', { headDim: 6, numHeads: 4, numKvHeads: 2 }, {}],
  ['biases of queries, keys and values', { bias: { query: true, key: true, value: true } }, {}],
  ['a bias of the output alone', { bias: { output: true } }, {}],
  ['normed queries and keys', { qkNorm: true }, {}],
  ['normed and rotated heads', { qkNorm: true, rotary: {}, headDim: 6, bias: true }, turned],
  ['a large eps', { qkNorm: { eps: 0.5 }, numKvHeads: 1 }, { eps: 0.5 }],
];

test.each(CASES)(`${NAME} agrees with float64, and so do its gradients, with %s`, (_name, sizes, parameters) => {
  const layer = make(sizes);
  const state = layer.stateDict();
  const { numHeads = 3, numKvHeads = numHeads } = sizes;
  const run = (at: Record<string, Numbers>) =>
    reference(at.queries ?? q, at.keys ?? k, at.values ?? v, {
      numHeads,
      numKvHeads,
      state: { ...state, ...at },
      ...parameters,
    });
  const expected = run({});
  const inference = layer.forward(q, k, v, { needWeights: true });
  expectClose(inference.output, expected.output, outputTolerance(expected.output));
  expectClose(inference.weights, expected.weights, { atol: OUTPUT_ATOL });
  const { output, backward } = layer.forward(q, k, v, { training: true });
  expect(output).toEqual(inference.output);
  const gradients = { ...backward!(g), ...gradientsOf(layer) };
  expect(Object.keys(gradients).sort()).toEqual(['keys', 'queries', 'values', ...Object.keys(state)].sort());
  for (const [name, gradient] of Object.entries(gradients)) {
    const at = { queries: q, keys: k, values: v }[name] ?? state[name]!;
    expectGradient(gradient, at, (moved) => dot(run({ [name]: moved }).output.data, g.data), GRADIENT_RTOL);
  }
});
