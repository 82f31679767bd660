/** Multi-head attention and the two layers of transformers: made, used, differentiated and disposed. */
import type { TensorLike } from 'wasm-attention';
import type { ActivationName } from '../reference/feedForward.js';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { transformerBlock } from '../reference/transformerBlock.js';
import { BLOCK_ATOL } from '../support/blockCases.js';
import { EPS, expectClose, maxAbs, type Numbers } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw, Drawn } from './draw.js';
import { runLayer, TRAINING, withOneInput, type LayerRun, type Pass } from './layerRun.js';
import { attention } from './watched.js';

export const modelCases = {
  MultiHeadAttention(draw: Draw): Case {
    const [numKvHeads, group, width] = [draw.integer(1, 2), draw.integer(1, 3), 2 * draw.integer(1, 4)];
    const numHeads = numKvHeads * group;
    const headDim = draw.maybe(() => width, 0.3);
    const numHiddens = headDim ? draw.axis() : numHeads * width;
    const [B, L, S] = [draw.integer(1, 3), draw.axis(), draw.axis()];
    const [querySize, keySize, valueSize] = [draw.axis(), draw.axis(), draw.axis()];
    const inputs = { queries: [B, L, querySize], keys: [B, S, keySize], values: [B, S, valueSize] };
    const drawn = Object.fromEntries(
      Object.entries(inputs).map(([name, shape]) => [name, draw.numbers(shape)]),
    ) as Record<keyof typeof inputs, Drawn>;
    const turns = draw.maybe(() => ({}), 0.3);
    const listed = turns && L === S && draw.integers(draw.chance(0.5) ? [B, L] : [L], 0, 300);
    const positions = listed && { positions: listed };
    const options = {
      ...draw.maybe(() => ({ validLens: draw.integers([B], 0, S + 1) })),
      ...draw.maybe(() => ({ mask: draw.mask([B, 1, L, S]) }), 0.3),
      ...draw.maybe(() => ({ isCausal: true }), 0.3),
    };
    const gradOutput = draw.numbers([B, L, numHiddens]);
    const sizes = {
      numHiddens,
      numHeads,
      numKvHeads,
      querySize,
      keySize,
      valueSize,
      bias: draw.pick([true, false, { query: true, value: true }, { output: true }]),
      ...draw.maybe(() => ({ qkNorm: draw.pick([true, { eps: 0.1 }]) }), 0.3),
      ...(headDim && { headDim }),
      seed: 1,
    };
    return {
      args: [
        { ...sizes, ...(turns && { rotary: turns }) },
        draw.form(drawn.queries),
        draw.form(drawn.keys),
        draw.form(drawn.values),
        { ...options, ...positions, ...TRAINING, needWeights: true },
        draw.form(gradOutput),
      ],
      call: (given: typeof sizes, q: TensorLike, k: TensorLike, v: TensorLike, forward: object, g: unknown) =>
        runLayer(
          () => new attention.MultiHeadAttention(given),
          (layer) => layer.forward(q, k, v, forward) as Pass,
          g,
        ),
      check({ state, output, weights, gradients }: LayerRun) {
        const parameters = {
          numHeads,
          numKvHeads,
          state,
          ...(turns && { rotary: { queries: { ...positions }, keys: { ...positions } } }),
          ...(typeof sizes.qkNorm === 'object' && sizes.qkNorm),
        };
        const expected = multiHeadAttention(drawn.queries, drawn.keys, drawn.values, parameters, options);
        // As in support/multiHeadTolerance.ts: a projection before and one after the attention.
        const atol = 64 * EPS * Math.max(5, maxAbs(expected.output.data));
        expectClose(output, expected.output, { atol });
        expectClose(weights, expected.weights, { atol: 64 * EPS });
        for (const name of Object.keys(inputs) as (keyof typeof inputs)[])
          expectFinite(gradients![name]!, inputs[name]);
      },
    };
  },

  TransformerEncoderLayer(draw: Draw): Case {
    const [numKvHeads, group] = [draw.integer(1, 2), draw.integer(1, 2)];
    const numHeads = numKvHeads * group;
    const headDim = draw.maybe(() => 2 * draw.integer(1, 4), 0.3);
    const numHiddens = headDim ? draw.axis() : 4 * numHeads;
    const norm = draw.pick(['pre', 'post'] as const);
    const normType = draw.pick(['layer', 'rms'] as const);
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh', 'silu', 'sigmoid', 'quick-gelu']);
    const turns = draw.maybe(() => ({}), 0.3);
    const masks = draw.maybe(() => ({ isCausal: true }));
    const shape = [draw.integer(1, 3), draw.axis(), numHiddens];
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    const sizes = {
      numHiddens,
      numHeads,
      ffnHiddens: draw.axis(),
      bias: draw.pick([true, false, { query: true, key: true, value: true }]),
      norm,
      normType,
      feedForward: draw.pick(['plain', 'gated'] as const),
      activation,
      numKvHeads,
      qkNorm: draw.chance(0.3),
      // Means and variances of a few numbers may be close to 0.
      eps: 0.1,
      ...(headDim && { headDim }),
      seed: 1,
    };
    return {
      args: [
        { ...sizes, ...(turns && { rotary: turns }) },
        draw.form(x),
        { ...TRAINING, ...masks },
        draw.form(gradOutput),
      ],
      call: withOneInput(attention.TransformerEncoderLayer),
      check({ state, output, gradients }: LayerRun) {
        const options = {
          numHeads,
          numKvHeads,
          norm,
          normType,
          activation,
          eps: 0.1,
          ...(masks && { self: masks }),
        };
        const rotary = turns && { rotary: { queries: {}, keys: {} } };
        const { output: expected } = transformerBlock(x, undefined, state, { ...options, ...rotary });
        expectClose(output, expected, { atol: 4 * BLOCK_ATOL * Math.max(1, maxAbs(expected.data)) });
        expectFinite(gradients!.input!, shape);
      },
    };
  },

  TransformerDecoderLayer(draw: Draw): Case {
    const numHeads = draw.integer(1, 3);
    const numHiddens = 4 * numHeads;
    const norm = draw.pick(['pre', 'post'] as const);
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh']);
    const [B, L, S] = [draw.integer(1, 3), draw.axis(), draw.axis()];
    const [x, memory] = [draw.tensor([B, L, numHiddens]), draw.tensor([B, S, numHiddens])];
    const gradOutput = draw.tensor(x.shape);
    const self = draw.maybe(() => ({ isCausal: true })) ?? {};
    const cross = draw.maybe(() => ({ validLens: draw.integers([B], 0, S + 1) })) ?? {};
    const sizes = {
      numHiddens,
      numHeads,
      ffnHiddens: draw.axis(),
      bias: draw.chance(0.5),
      norm,
      activation,
      eps: 0.1,
      seed: 1,
    };
    return {
      args: [sizes, draw.form(x), draw.form(memory), { ...self, cross, ...TRAINING }, draw.form(gradOutput)],
      call: (given: typeof sizes, q: TensorLike, over: TensorLike, forward: object, g: unknown) =>
        runLayer(
          () => new attention.TransformerDecoderLayer(given),
          (layer) => layer.forward(q, over, forward) as Pass,
          g,
        ),
      check({ state, output, gradients }: LayerRun) {
        const options = { numHeads, norm, activation, eps: 0.1, self, cross };
        const { output: expected } = transformerBlock(x, memory, state, options);
        expectClose(output, expected, { atol: 4 * BLOCK_ATOL * Math.max(1, maxAbs(expected.data)) });
        expectFinite(gradients!.input!, x.shape);
        expectFinite(gradients!.memory!, memory.shape);
      },
    };
  },
};

function expectFinite({ data, shape }: Numbers, expected: readonly number[]): void {
  if (shape.join() !== expected.join()) throw new Error(`expected shape (${expected.join()}), got (${shape.join()})`);
  if (!Array.from(data).every(Number.isFinite)) throw new Error('expected finite gradients');
}
