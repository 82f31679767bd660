import type { Known } from '../../check/options.js';
import * as AttentionGradArgs from '../../generated/bindings/attentionGradArgs.js';
import type { WithScratch } from '../../generated/bindings/raw.js';
import { ATTENTION_GRADIENTS, placeOptionGradients } from '../../ops/attention/optionGradients.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { words } from '../../runtime/args.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import { setHeads, type HeadSizes, type HeadRotation } from '../../steps/attend.js';
import { setRotary, type Rotary, type RowSizes } from '../../steps/steps.js';
import type { TensorLike } from '../../types.js';
import { runOnce } from '../base/layer.js';
import type { Parameters } from '../base/parameters.js';
import type { BackwardOptions } from '../base/types.js';
import { setLinearBackward, type LinearBackward } from '../linear.js';
import { setNormBackward } from '../norms.js';
import type { Inputs } from './inputs.js';
import type { MultiHeadAttentionGradients } from './types.js';

/** What a forward pass keeps for its backward pass: copies, which neither the caller nor a later pass changes. */
export interface MultiHeadAttentionPass {
  readonly sizes: HeadSizes;
  readonly plan: CheckedAttentionOptions;
  readonly inputs: Inputs;
  /** Queries, keys and values as attention reads them: projected, normed and rotated. */
  readonly attended: readonly [Float32Array, Float32Array, Float32Array];
  /** The projected queries and keys, if they are normed. */
  readonly norms: { readonly eps: number; readonly inputs: readonly Float32Array[] } | undefined;
  /** The heads' outputs, which the output projection reads. */
  readonly heads: Float32Array;
  readonly rotation: ((wasm: Wasm) => HeadRotation) | undefined;
}

const NO_OPTIONS = {} as Known<BackwardOptions>;

/** The arguments that rotate these gradients back. */
function setRotaryBack(memory: Memory, gradient: number, sizes: RowSizes, rotary: Rotary): number {
  setRotary(gradient, sizes, rotary);
  return memory.args();
}

/** The backward function of one pass: the steps of the forward pass in reverse. It recomputes the attention weights. */
export function multiHeadAttentionBackward(
  wasm: Wasm,
  parameters: Parameters,
  pass: MultiHeadAttentionPass,
): (gradOutput: TensorLike) => MultiHeadAttentionGradients {
  const { batch, queries } = pass.sizes;
  const outputShape = [batch, queries, parameters.shape('W_o.weight')[0]!];
  const back = (operation: string, gradOutput: Float32Array) =>
    wasm.memory.scope(operation, () => run(operation, wasm, parameters, pass, gradOutput));
  // It has no option `out`.
  return runOnce('MultiHeadAttention', parameters, outputShape, back, NO_OPTIONS);
}

function run(
  operation: string,
  wasm: Wasm,
  parameters: Parameters,
  { sizes, plan, inputs, attended, norms, heads, rotation }: MultiHeadAttentionPass,
  gradOutput: Float32Array,
): MultiHeadAttentionGradients {
  const { raw, memory } = wasm;
  const { batch, kvHeads, queries, keys, width } = sizes;
  const headsWidth = sizes.heads * width;
  const gradient = memory.floats(gradOutput);
  const gradHeads = memory.reserve(heads.length);
  const placed = new Map(inputs.map((input) => [input, memory.floats(input.data)]));
  // Allocates the arguments and working memory of a later call now: all memory is allocated before a gradient changes.
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
    inputs: headsWidth,
    outputs: parameters.shape('W_o.weight')[0]!,
  });
  const [query, key, value] = attended.map((data) => memory.floats(data)) as [number, number, number];
  const grads = attended.map(({ length }) => memory.reserve(length));
  const [gradQuery, gradKey, gradValue] = grads as [number, number, number];
  const gradInputs = inputs.map(({ data }) => memory.reserve(data.length));
  const inputsBack = inputs.map((input, i) => {
    const [gradOut, gradX, x] = [grads[i]!, gradInputs[i]!, placed.get(input)!];
    const [rows, inputs] = [input.shape[0]! * input.shape[1]!, input.shape[2]!];
    const outputs = i === 0 ? headsWidth : kvHeads * width;
    return linear(['W_q', 'W_k', 'W_v'][i]!, { gradOut, x, gradX, rows, inputs, outputs });
  });
  const normsBack = (norms?.inputs ?? []).map((data, i) => {
    const prefix = ['q_norm.', 'k_norm.'][i]!;
    const norm = { kind: 'rms', weight: parameters.address(`${prefix}weight`), bias: 0, eps: norms!.eps } as const;
    setNormBackward(memory.floats(data), norm, grads[i]!, parameters, prefix, data.length / width, width);
    return prepare(raw.normBackward);
  });
  // Allocated before the first gradient changes, as those of options are.
  const results = inputs.map(({ data, shape }) => ({
    data: fresh(operation, Float32Array, data.length),
    shape: [...shape],
  }));
  const rotated = rotation?.(wasm);
  const rotateBack = rotated
    ? [
        setRotaryBack(memory, gradQuery, { batch, tokens: queries, heads: sizes.heads, width }, rotated.query),
        setRotaryBack(memory, gradKey, { batch, tokens: keys, heads: kvHeads, width }, rotated.key),
      ]
    : [];
  setHeads(sizes, { query, key, value, output: gradHeads });
  plan.place(memory);
  words[AttentionGradArgs.gradOutput] = gradHeads;
  words[AttentionGradArgs.gradQuery] = gradQuery;
  words[AttentionGradArgs.gradKey] = gradKey;
  words[AttentionGradArgs.gradValue] = gradValue;
  const readOptions = placeOptionGradients(operation, memory, plan.differentiable, ATTENTION_GRADIENTS, sizes);
  const attendBack = prepare(raw.scaledDotProductAttentionBackward);

  projectBack();
  attendBack();
  for (const args of rotateBack) raw.rotaryEmbeddingBackward(args);
  for (const back of [...normsBack, ...inputsBack]) back();

  results.forEach(({ data }, i) => memory.read(gradInputs[i]!, data.length, data));
  const [queriesBack, keysBack, valuesBack] = results;
  return { queries: queriesBack!, keys: keysBack!, values: valuesBack!, ...readOptions() };
}
