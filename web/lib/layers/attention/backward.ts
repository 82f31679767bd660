import { sizeOf } from '../../check/values.js';
import * as AT from '../../ops/attention/fields.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { Tensor, TensorLike } from '../../types.js';
import { runOnce } from '../base/layer.js';
import type { Parameters } from '../base/parameters.js';
import { attentionOfHeads, type HeadSizes } from './heads.js';
import type { Inputs } from './inputs.js';
import { placeOptionGradients } from './optionGradients.js';
import { NO_ROTATION, type Rotation } from './rotaryPositions.js';
import type { MultiHeadAttentionGradients } from './types.js';

/** What a forward pass leaves to its backward pass: copies, which neither the caller nor a later pass changes. */
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

/** The backward function of one pass: the forward pass's steps in reverse, its weights recomputed. */
export function multiHeadAttentionBackward(
  wasm: Wasm,
  parameters: Parameters,
  pass: MultiHeadAttentionPass,
): (gradOutput: TensorLike) => MultiHeadAttentionGradients {
  const { batch, heads, queries, width } = pass.sizes;
  const outputShape = [batch, queries, heads * width];
  return runOnce('MultiHeadAttention', parameters, outputShape, (operation, gradOutput) =>
    wasm.memory.scope(operation, () => run(wasm, parameters, pass, gradOutput)),
  );
}

function run(
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
  const linear = (name: string, input: number, grad: number, gradInput: number, size: LinearSize) => {
    const { rows, from, to } = size;
    const scratch = memory.reserve(raw.linearBackwardScratch(rows, from, to));
    const weight = parameters.address(`${name}.weight`);
    const gradWeight = parameters.gradient(`${name}.weight`);
    const gradBias = parameters.has(`${name}.bias`) ? parameters.gradient(`${name}.bias`) : 0;
    return () => raw.linearBackward(grad, input, weight, scratch, gradInput, gradWeight, gradBias, rows, from, to); // prettier-ignore
  };

  // All room before the first gradient is added to.
  const projectBack = linear('W_o', memory.floats(heads), gradient, gradHeads, {
    rows: batch * queries,
    from: model,
    to: model,
  });
  const [query, key, value] = projected.map((data) => memory.floats(data)) as [number, number, number];
  const grads = projected.map(({ length }) => memory.reserve(length));
  const [gradQuery, gradKey, gradValue] = grads as [number, number, number];
  const gradInputs = inputs.map(({ data }) => memory.reserve(data.length));
  const inputsBack = inputs.map((input, i) => {
    const [rows, from] = [input.shape[0]! * input.shape[1]!, input.shape[2]!];
    const to = i === 0 ? model : kvHeads * width;
    return linear(['W_q', 'W_k', 'W_v'][i]!, placed.get(input)!, grads[i]!, gradInputs[i]!, {
      rows,
      from,
      to,
    });
  });
  const options = placeOptionGradients(memory, plan.differentiable);
  const [queryTable, queryBatch, keyTable, rotaryWidth, interleaved] = rotation?.(wasm) ?? NO_ROTATION;
  const args = attentionOfHeads(sizes, { query, key, value, output: gradHeads });
  plan.place(memory, args);
  args.words[AT.scratch] = memory.reserve(raw.scaledDotProductAttentionBackwardScratch(args.place(memory)));
  const rest = [gradHeads, gradQuery, gradKey, gradValue, ...options.addresses];
  const attention = args.place(memory, rest);

  projectBack();
  raw.scaledDotProductAttentionBackward(attention);
  if (rotation) {
    const turnBack = (grad: number, table: number, tableBatch: number, tokens: number, count: number) =>
      raw.rotateHeadsBackward(grad, table, tableBatch, batch, tokens, count, width, rotaryWidth, interleaved === 1); // prettier-ignore
    turnBack(gradQuery, queryTable, queryBatch, queries, sizes.heads);
    turnBack(gradKey, keyTable, 0, keys, kvHeads);
  }
  for (const back of inputsBack) back();

  const read = (address: number, shape: readonly number[]): Tensor => ({
    data: memory.read(address, sizeOf(shape)),
    shape: [...shape],
  });
  const [queriesBack, keysBack, valuesBack] = inputs.map(({ shape }, i) => read(gradInputs[i]!, shape));
  return {
    queries: queriesBack!,
    keys: keysBack!,
    values: valuesBack!,
    ...options.read(),
  };
}

/** Rows of so many columns to so many. */
interface LinearSize {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}
