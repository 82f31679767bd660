/** Layers: made, used, their gradients taken, and disposed. */
import type { Layer, Tensor, TensorLike } from 'wasm-attention';
import { AdamReference } from '../reference/adam.js';
import { feedForward, feedForwardBackward, type ActivationName } from '../reference/feedForward.js';
import { layerNorm, layerNormBackward } from '../reference/layerNorm.js';
import { linear, linearBackward } from '../reference/linear.js';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { sizeOf, type Reference } from '../reference/tensor.js';
import { transformerEncoderLayer } from '../reference/transformerEncoderLayer.js';
import { EPS, expectClose, maxAbs, type Numbers } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw, Drawn } from './draw.js';
import { attention } from './watched.js';

type State = Readonly<Record<string, Tensor>>;
type Owner = Pick<Layer, 'parameters' | 'stateDict' | 'dispose'>;

/** What a layer's life gave. */
interface Life {
  readonly state: State;
  readonly output: Tensor;
  readonly weights?: Tensor;
  /** Of the inputs by name, and of the parameters. */
  readonly gradients?: State;
}

interface Pass {
  readonly output: Tensor;
  readonly weights?: Tensor;
  readonly backward?: (gradOutput: TensorLike) => object;
}

/** Makes, uses, learns from and disposes, also where something of it throws. */
function live<T extends Owner>(make: () => T, forward: (layer: T) => Pass, gradOutput?: unknown): Life {
  const layer = make();
  try {
    const state = layer.stateDict();
    const { output, weights, backward } = forward(layer);
    const inputs = backward && gradOutput !== undefined ? backward(gradOutput as TensorLike) : undefined;
    const own = layer.parameters().map(({ name, grad, shape }) => [name, { data: grad, shape }]);
    return {
      state,
      output,
      ...(weights && { weights }),
      ...(inputs && { gradients: { ...inputs, ...(Object.fromEntries(own) as State) } }),
    };
  } finally {
    layer.dispose();
  }
}

type Unary = Owner & { forward(x: TensorLike, options?: object): Pass };

/** A life with one input. The arguments: the layer's options, the input, forward's options, the output's gradient. */
function unary<O extends object>(make: (options: O) => Unary) {
  return (options: O, x: unknown, forwardOptions: object | undefined, gradOutput: unknown): Life =>
    live(
      () => make(options),
      (layer) => layer.forward(x as TensorLike, forwardOptions),
      gradOutput,
    );
}

const flat = ({ data, shape }: Numbers): Numbers => ({
  data,
  shape: [sizeOf(shape.slice(0, -1)), shape.at(-1)!],
});
const shaped = ({ data }: Reference, shape: readonly number[]) => ({ data, shape });
const TRAINING = { training: true };

/** Two to three axes, the last this wide. */
const rowsOf = (draw: Draw, width: number) =>
  draw.chance(0.5) ? [draw.axis(), width] : [draw.integer(1, 3), draw.axis(), width];

function table(draw: Draw, name: 'PositionalEncoding' | 'LearnedPositionalEncoding'): Case {
  const numHiddens = draw.axis();
  const shape = [draw.integer(1, 3), draw.axis(), numHiddens];
  const x = draw.numbers(shape);
  const gradOutput = draw.numbers(shape);
  const offset = draw.maybe(() => draw.integer(0, 5));
  const maxLen = draw.most + 5;
  const make = (options: { numHiddens: number; maxLen: number; seed: number }) =>
    new attention[name](options);
  return {
    args: [
      { numHiddens, maxLen, seed: 3 },
      draw.form(x),
      { ...TRAINING, ...(offset && { offset }) },
      draw.form(gradOutput),
    ],
    names: ['sinusoidalEncoding'],
    call: unary(make),
    check({ state, output, gradients }: Life) {
      const rows =
        name === 'PositionalEncoding'
          ? sinusoidalEncoding({ length: maxLen, dim: numHiddens })
          : state.weight!;
      const [, n] = shape as [number, number];
      const sum = Float64Array.from(x.data, (value, i) => {
        const row = (Math.floor(i / numHiddens) % n) + (offset ?? 0);
        return value + rows.data[row * numHiddens + (i % numHiddens)]!;
      });
      // The table's rounding, and the sum's.
      expectClose(output, { data: sum, shape }, { atol: 2 * EPS * (1 + maxAbs(sum)) + 1e-8 });
      expectClose(gradients!.input, gradOutput, {});
    },
  };
}

export const layerCases = {
  PositionalEncoding: (draw: Draw): Case => table(draw, 'PositionalEncoding'),
  LearnedPositionalEncoding: (draw: Draw): Case => table(draw, 'LearnedPositionalEncoding'),

  Linear(draw: Draw): Case {
    const [inFeatures, outFeatures, bias] = [draw.axis(), draw.axis(), draw.chance(0.5)];
    const shape = rowsOf(draw, inFeatures);
    const x = draw.numbers(shape);
    const gradOutput = draw.numbers([...shape.slice(0, -1), outFeatures]);
    return {
      args: [{ inFeatures, outFeatures, bias, seed: 1 }, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: unary(
        (options: ConstructorParameters<typeof attention.Linear>[0]) => new attention.Linear(options),
      ),
      check({ state, output, gradients }: Life) {
        const expected = linear(flat(x), state.weight!, state.bias);
        // Each rounds once a product of numbers of up to 5, weights below 1.
        const allowed = (terms: number) => ({ atol: (terms + 2) * EPS * 25 });
        expectClose(output, shaped(expected, gradOutput.shape), allowed(inFeatures));
        const back = linearBackward(flat(gradOutput), flat(x), state.weight!);
        expectClose(gradients!.input, shaped(back.x, shape), allowed(outFeatures));
        expectClose(gradients!.weight, back.weight, allowed(sizeOf(shape)));
        if (bias) expectClose(gradients!.bias, back.bias, allowed(sizeOf(shape)));
      },
    };
  },

  LayerNorm(draw: Draw): Case {
    const width = draw.axis() + 2;
    const shape = rowsOf(draw, width);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    const options = {
      normalizedShape: draw.chance(0.5) ? width : [width],
      eps: 0.1,
      affine: draw.chance(0.5),
    };
    return {
      args: [options, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: unary(
        (given: ConstructorParameters<typeof attention.LayerNorm>[0]) => new attention.LayerNorm(given),
      ),
      check({ state, output, gradients }: Life) {
        // Roundings of numbers of up to 5, divided by a deviation of at least sqrt(eps).
        const atol = (32 * EPS * 5) / Math.sqrt(options.eps);
        const expected = layerNorm(flat(x), options.eps, state.weight, state.bias);
        expectClose(output, shaped(expected, shape), { atol });
        const back = layerNormBackward(flat(gradOutput), flat(x), options.eps, state.weight);
        expectClose(gradients!.input, shaped(back.x, shape), { atol: (4 * atol) / Math.sqrt(options.eps) });
        for (const name of Object.keys(state) as ('weight' | 'bias')[]) {
          expectClose(gradients![name], back[name], { atol: 4 * atol * sizeOf(shape) });
        }
      },
    };
  },

  Embedding(draw: Draw): Case {
    const [numEmbeddings, dim] = [draw.axis(), draw.axis()];
    const ids = draw.integers([draw.axisOrNone()], 0, numEmbeddings - 1);
    const gradOutput = draw.numbers([...ids.shape, dim]);
    return {
      args: [{ numEmbeddings, dim, seed: 1 }, ids, TRAINING, draw.form(gradOutput)],
      call: unary(
        (options: ConstructorParameters<typeof attention.Embedding>[0]) => new attention.Embedding(options),
      ),
      check({ state, output, gradients }: Life) {
        const rows = Array.from(ids.data).flatMap((id) => [
          ...state.weight!.data.slice(id * dim, (id + 1) * dim),
        ]);
        expectClose(output, { data: rows, shape: gradOutput.shape }, {});
        const sums = new Float64Array(numEmbeddings * dim);
        gradOutput.data.forEach((g, i) => (sums[ids.data[Math.floor(i / dim)]! * dim + (i % dim)]! += g));
        // A sum of so many numbers of up to 5.
        const atol = EPS * 5 * ids.data.length ** 2;
        expectClose(gradients!.weight, { data: sums, shape: [numEmbeddings, dim] }, { atol });
      },
    };
  },

  FeedForward(draw: Draw): Case {
    const [numHiddens, ffnHiddens] = [draw.axis(), draw.axis()];
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh']);
    const shape = rowsOf(draw, numHiddens);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    return {
      args: [{ numHiddens, ffnHiddens, activation, seed: 1 }, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: unary(
        (options: ConstructorParameters<typeof attention.FeedForward>[0]) =>
          new attention.FeedForward(options),
      ),
      check({ state, output, gradients }: Life) {
        const named = {
          weight1: state['dense1.weight']!,
          bias1: state['dense1.bias']!,
          weight2: state['dense2.weight']!,
          bias2: state['dense2.bias']!,
        };
        // As in the layer's own test: two sums of products behind each other.
        const allowed = (data: ArrayLike<number>) => ({
          atol: (numHiddens + ffnHiddens + sizeOf(shape) / numHiddens + 8) * EPS * (8 + maxAbs(data)),
        });
        const expected = feedForward(flat(x), named, activation);
        expectClose(output, shaped(expected, shape), allowed(expected.data));
        if (activation === 'relu') return; // a unit near 0 may be on either side of its kink
        const back = feedForwardBackward(flat(gradOutput), flat(x), named, activation);
        expectClose(gradients!.input, shaped(back.x, shape), allowed(back.x.data));
        expectClose(gradients!['dense1.weight'], back.weight1, allowed(back.weight1.data));
        expectClose(gradients!['dense2.weight'], back.weight2, allowed(back.weight2.data));
      },
    };
  },

  MultiHeadAttention(draw: Draw): Case {
    const [numKvHeads, group, width] = [draw.integer(1, 2), draw.integer(1, 3), 2 * draw.integer(1, 4)];
    const numHeads = numKvHeads * group;
    const numHiddens = numHeads * width;
    const [B, L, S] = [draw.integer(1, 3), draw.axis(), draw.axis()];
    const [querySize, keySize, valueSize] = [draw.axis(), draw.axis(), draw.axis()];
    const inputs = { queries: [B, L, querySize], keys: [B, S, keySize], values: [B, S, valueSize] };
    const drawn = Object.fromEntries(
      Object.entries(inputs).map(([name, shape]) => [name, draw.numbers(shape)]),
    ) as Record<keyof typeof inputs, Drawn>;
    const turns = draw.maybe(() => ({}), 0.3);
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
      bias: draw.chance(0.5),
      seed: 1,
    };
    return {
      args: [
        { ...sizes, ...(turns && { rotary: turns }) },
        draw.form(drawn.queries),
        draw.form(drawn.keys),
        draw.form(drawn.values),
        { ...options, ...TRAINING, needWeights: true },
        draw.form(gradOutput),
      ],
      call: (given: typeof sizes, q: TensorLike, k: TensorLike, v: TensorLike, forward: object, g: unknown) =>
        live(
          () => new attention.MultiHeadAttention(given),
          (layer) => layer.forward(q, k, v, forward) as Pass,
          g,
        ),
      check({ state, output, weights, gradients }: Life) {
        const parameters = {
          numHeads,
          numKvHeads,
          state,
          ...(turns && { rotary: { queries: {}, keys: {} } }),
        };
        const expected = multiHeadAttention(drawn.queries, drawn.keys, drawn.values, parameters, options);
        // As in the layer's own test: projections on either side of the attention's own 32·EPS.
        const atol = 64 * EPS * Math.max(5, maxAbs(expected.output.data));
        expectClose(output, expected.output, { atol });
        expectClose(weights, expected.weights, { atol: 64 * EPS });
        for (const name of Object.keys(inputs) as (keyof typeof inputs)[])
          expectFinite(gradients![name]!, inputs[name]);
      },
    };
  },

  TransformerEncoderLayer(draw: Draw): Case {
    const numHeads = draw.integer(1, 3);
    const numHiddens = 4 * numHeads;
    const norm = draw.pick(['pre', 'post'] as const);
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh']);
    const shape = [draw.integer(1, 3), draw.axis(), numHiddens];
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    const sizes = {
      numHiddens,
      numHeads,
      ffnHiddens: draw.axis(),
      bias: draw.chance(0.5),
      norm,
      activation,
      seed: 1,
    };
    return {
      args: [sizes, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: unary((given: typeof sizes) => new attention.TransformerEncoderLayer(given)),
      check({ state, output, gradients }: Life) {
        const one = () => 1;
        const dropout = { weights: one, attended: one, hidden: one, fed: one };
        const expected = transformerEncoderLayer(x, state, { numHeads, norm, activation, dropout });
        // As in the layer's own test: 36 products behind each other in eight sums.
        expectClose(output, expected, { atol: 8 * 36 * EPS * Math.max(1, maxAbs(expected.data)) });
        expectFinite(gradients!.input!, shape);
      },
    };
  },

  Adam(draw: Draw): Case {
    const given = {
      lr: 10 ** -draw.integer(1, 4),
      betas: draw.pick([
        [0.9, 0.999],
        [0.5, 0.9],
        [0, 0],
      ] as const),
      eps: draw.pick([1e-8, 1e-3]),
      weightDecay: draw.pick([0, 0.1]),
      maxGradNorm: draw.pick([0.5, 1e6]),
    };
    const [ins, outs, steps] = [draw.axis(), draw.axis(), draw.integer(1, 3)];
    const [x, g] = [draw.tensor([2, ins]), draw.tensor([2, outs])];
    return {
      args: [given],
      call: (options: typeof given) => {
        const layer = new attention.Linear({ inFeatures: ins, outFeatures: outs, seed: 1 });
        try {
          const before = layer.parameters().map(({ data }) => data);
          const adam = new attention.Adam(layer.parameters(), options);
          try {
            layer.forward(x, TRAINING).backward!(g);
            const gradients = layer.parameters().map(({ grad }) => grad);
            for (let step = 0; step < steps; ++step) adam.step();
            return { before, gradients, after: layer.parameters().map(({ data }) => data) };
          } finally {
            adam.dispose();
          }
        } finally {
          layer.dispose();
        }
      },
      check({ before, gradients, after }: Record<'before' | 'gradients' | 'after', Float32Array[]>) {
        const expected = before.map((data) => Float64Array.from(data));
        const reference = new AdamReference(
          expected.map(({ length }) => length),
          given,
        );
        for (let step = 0; step < steps; ++step) reference.step(expected, gradients);
        after.forEach((data, p) => {
          const shape = [data.length];
          // Each step rounds the parameter, and is lr times a ratio near 1; it may be near no ratio where a gradient,
          // with its weight decay, nearly cancels.
          const atol =
            steps * EPS * (maxAbs(expected[p]!) + 16 * given.lr) + (given.weightDecay ? 1e-3 * given.lr : 0);
          expectClose({ data, shape }, { data: expected[p]!, shape }, { atol });
        });
      },
    };
  },
};

function expectFinite({ data, shape }: Numbers, expected: readonly number[]): void {
  if (shape.join() !== expected.join())
    throw new Error(`expected shape (${expected.join()}), got (${shape.join()})`);
  if (!Array.from(data).every(Number.isFinite)) throw new Error('expected finite gradients');
}
