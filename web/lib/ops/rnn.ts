import { toTensorOfRank, toTensorOfShape } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { wrongValue } from '../check/values.js';
import * as RnnArgs from '../generated/bindings/rnnArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import { fresh } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';

/** The parameters of `rnn`, as torch.nn.RNN names and shapes them; D is the width of the state. */
export interface RnnWeights {
  /** (D, Din) */
  weightIh: TensorLike;
  /** (D, D) */
  weightHh: TensorLike;
  /** (D,); default none. */
  biasIh?: TensorLike;
  /** (D,); default none. */
  biasHh?: TensorLike;
}

/** The options of `rnn`. */
export interface RnnOptions {
  /** (B, D), the state before the first token; default zeros. */
  initialState?: TensorLike;
  /** Default 'tanh'. */
  nonlinearity?: 'tanh' | 'relu';
}

/** What `rnn` returns. */
export interface RnnResult {
  /** (B, n, D): the state after every token. */
  output: Tensor;
  /** (B, D): the state after the last token, or the initial state if there are no tokens. */
  finalState: Tensor;
}

const OPERATION = 'rnn';
const WEIGHTS: Known<RnnWeights> = { weightIh: 1, weightHh: 1, biasIh: 1, biasHh: 1 };
const OPTIONS: Known<RnnOptions> = { initialState: 1, nonlinearity: 1 };

/** See `WasmAttention.rnn`. */
export function rnn({ raw, memory }: Wasm, x: TensorLike, weights: RnnWeights, options?: RnnOptions): RnnResult {
  const { nonlinearity = 'tanh', initialState } = checkOptions(OPERATION, options, OPTIONS);
  const given = checkOptions(OPERATION, weights, WEIGHTS, 'weights');
  if (nonlinearity !== 'tanh' && nonlinearity !== 'relu') {
    wrongValue(OPERATION, "nonlinearity to be 'tanh' or 'relu'", nonlinearity);
  }
  const input = toTensorOfRank(OPERATION, 'x', x, 3);
  const [batch, length, inWidth] = input.shape as [number, number, number];
  const weightIh = toTensorOfShape(OPERATION, 'weightIh', given.weightIh, ['D', inWidth]);
  const width = weightIh.shape[0]!;
  const weightHh = toTensorOfShape(OPERATION, 'weightHh', given.weightHh, [width, width]);
  const optional = (name: string, value: TensorLike | undefined, shape: number[]) =>
    value === undefined ? undefined : toTensorOfShape(OPERATION, name, value, shape);
  const biasIh = optional('biasIh', given.biasIh, [width]);
  const biasHh = optional('biasHh', given.biasHh, [width]);
  const initial = optional('initialState', initialState, [batch, width]);

  return memory.scope(OPERATION, () => {
    const place = (tensor: Tensor | undefined) => (tensor ? memory.floats(tensor.data) : 0);
    const count = batch * length * width;
    clearArgs();
    words[RnnArgs.x] = memory.floats(input.data);
    words[RnnArgs.weightIh] = memory.floats(weightIh.data);
    words[RnnArgs.weightHh] = memory.floats(weightHh.data);
    words[RnnArgs.biasIh] = place(biasIh);
    words[RnnArgs.biasHh] = place(biasHh);
    words[RnnArgs.initial] = place(initial);
    const out = (words[RnnArgs.out] = memory.reserve(count));
    words[RnnArgs.batch] = batch;
    words[RnnArgs.length] = length;
    words[RnnArgs.inWidth] = inWidth;
    words[RnnArgs.width] = width;
    words[RnnArgs.relu] = Number(nonlinearity === 'relu');
    // An empty batch may have billions of tokens to loop over.
    if (count > 0) memory.run(raw.rnn);
    const output = memory.tensor(out, [batch, length, width]);
    return {
      output,
      finalState: { data: lastStates(output.data, batch, length, width, initial), shape: [batch, width] },
    };
  });
}

function lastStates(
  output: Float32Array,
  batch: number,
  length: number,
  width: number,
  initial: Tensor | undefined,
): Float32Array {
  const states = fresh(OPERATION, Float32Array, batch * width);
  if (length === 0) {
    if (initial) states.set(initial.data);
    return states;
  }
  for (let b = 0; b < batch && width > 0; ++b) {
    const end = (b + 1) * length * width;
    states.set(output.subarray(end - width, end), b * width);
  }
  return states;
}
