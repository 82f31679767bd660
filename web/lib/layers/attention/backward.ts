import type { Known } from '../../check/options.js';
import * as G from '../../generated/bindings/attentionGradArgs.js';
import type { WithScratch } from '../../generated/bindings/raw.js';
import { ATTENTION_GRADIENTS, placeOptionGradients } from '../../ops/attention/optionGradients.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { TensorLike } from '../../types.js';
import { runOnce } from '../base/layer.js';
import type { Parameters } from '../base/parameters.js';
import type { BackwardOptions } from '../base/types.js';
import { setLinearBackward, type LinearBackward } from '../linear.js';
import { attentionOfHeads, type HeadSizes } from './heads.js';
import type { Inputs } from './inputs.js';
import type { Rotation } from './rotaryPositions.js';
import type { MultiHeadAttentionGradients } from './types.js';

/** What a forward pass keeps for its backward pass: copies, which neither the caller nor a later pass changes. */
export interface MultiHeadAttentionPass {
  readonly sizes: HeadSizes;
  readonly plan: CheckedAttentionOptions;
  readonly inputs: Inputs;
  /** The inputs projected and rotated. */
  readonly projected: readonly [Float32Array, Float32Array, Float32Array];
  /** The heads' outputs, which the output projection reads. */
  readonly heads: Float32Array;
  readonly rotation: ((wasm: Wasm) => Rotation) | undefined;
}

const NO_OPTIONS = {} as Known<BackwardOptions>;

/** The backward function of one pass: the steps of the forward pass in reverse. It computes attention's weights again. */
export function multiHeadAttentionBackward(
  wasm: Wasm,
  parameters: Parameters,
  pass: MultiHeadAttentionPass,
): (gradOutput: TensorLike) => MultiHeadAttentionGradients {
  const { batch, heads, queries, width } = pass.sizes;
  const outputShape = [batch, queries, heads * width];
  const back = (operation: string, gradOutput: Float32Array) =>
    wasm.memory.scope(operation, () => run(operation, wasm, parameters, pass, gradOutput));
  // It writes into no arrays of the caller's.
  return runOnce('MultiHeadAttention', parameters, outputShape, back, NO_OPTIONS);
}

function run(
  operation: string,
  wasm: Wasm,
  parameters: Parameters,
  { sizes, plan, inputs, projected, heads, rotation }: MultiHeadAttentionPass,
  gradOutput: Float32Array,
): MultiHeadAttentionGradients {
  const { raw, memory } = wasm;
  const { batch, kvHeads, queries, keys, width } = sizes;
  const model = sizes.heads * width;
  const gradient = memory.floats(gradOutput);
  const gradHeads = memory.reserve(gradOutput.length);
  const placed = new Map(inputs.map((input) => [input, memory.floats(input.data)]));
  // Allocates a call's arguments and working memory now, for the call later: all memory is needed before a gradient is changed.
  const prepare = (call: WithScratch): (() => void) => {
    const args = memory.args();
    // With a capacity of -1 the function computes nothing and returns how much memory it needs.
    const needed = call(args, 0, -1);
    const scratch = memory.reserve(needed / 4);
    return () => void call(args, scratch, needed);
  };
  const linear = (name: string, sizes: LinearBackward): (() => void) => {
    setLinearBackward(parameters, `${name}.`, sizes);
    return prepare(raw.linearBackward);
  };

  const projectBack = linear('W_o', {
    gradOut: gradient,
    x: memory.floats(heads),
    gradX: gradHeads,
    rows: batch * queries,
    inputs: model,
    outputs: model,
  });
  const [query, key, value] = projected.map((data) => memory.floats(data)) as [number, number, number];
  const grads = projected.map(({ length }) => memory.reserve(length));
  const [gradQuery, gradKey, gradValue] = grads as [number, number, number];
  const gradInputs = inputs.map(({ data }) => memory.reserve(data.length));
  const inputsBack = inputs.map((input, i) => {
    const [gradOut, gradX, x] = [grads[i]!, gradInputs[i]!, placed.get(input)!];
    const [rows, inputs] = [input.shape[0]! * input.shape[1]!, input.shape[2]!];
    const outputs = i === 0 ? model : kvHeads * width;
    return linear(['W_q', 'W_k', 'W_v'][i]!, { gradOut, x, gradX, rows, inputs, outputs });
  });
  // Made before the first gradient changes, as are those of options.
  const results = inputs.map(({ data, shape }) => ({
    data: fresh(operation, Float32Array, data.length),
    shape: [...shape],
  }));
  const turned = rotation?.(wasm);
  attentionOfHeads(sizes, { query, key, value, output: gradHeads });
  plan.place(memory);
  words[G.gradOutput] = gradHeads;
  words[G.gradQuery] = gradQuery;
  words[G.gradKey] = gradKey;
  words[G.gradValue] = gradValue;
  const readOptions = placeOptionGradients(
    operation,
    memory,
    plan.differentiable,
    ATTENTION_GRADIENTS,
    sizes,
  );
  const attendBack = prepare(raw.scaledDotProductAttentionBackward);

  projectBack();
  attendBack();
  if (turned) {
    const turnBack = (grad: number, table: number, tableBatch: number, tokens: number, count: number) =>
      raw.rotateHeadsBackward(grad, table, tableBatch, batch, tokens, count, width, turned.width, turned.interleaved); // prettier-ignore
    turnBack(gradQuery, turned.queries, turned.queryBatch, queries, sizes.heads);
    turnBack(gradKey, turned.keys, turned.keyBatch, keys, kvHeads);
  }
  for (const back of inputsBack) back();

  results.forEach(({ data }, i) => memory.read(gradInputs[i]!, data.length, data));
  const [queriesBack, keysBack, valuesBack] = results;
  return { queries: queriesBack!, keys: keysBack!, values: valuesBack!, ...readOptions() };
}
