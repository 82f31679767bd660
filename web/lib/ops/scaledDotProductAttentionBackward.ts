import { toTensorOfShape } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import * as AttentionGradArgs from '../generated/bindings/attentionGradArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Memory } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { AttentionGradients, AttentionOptions, Tensor, TensorLike } from '../types.js';
import { checkAttentionInputs, placeAttentionInputs } from './attention/inputs.js';
import { ATTENTION_OPTIONS, checkAttentionOptions } from './attention/options.js';
import { ATTENTION_GRADIENTS, placeOptionGradients } from './attention/optionGradients.js';

const OPERATION = 'scaledDotProductAttentionBackward';

/** See `WasmAttention.scaledDotProductAttentionBackward`. */
export function scaledDotProductAttentionBackward(
  { raw, memory }: Wasm,
  gradOutput: TensorLike,
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  options?: AttentionOptions,
): AttentionGradients {
  const checked = checkOptions(OPERATION, options, ATTENTION_OPTIONS);
  const inputs = checkAttentionInputs(OPERATION, query, key, value, checked);
  const { past, kvHeads, sizes } = inputs;
  const g = toTensorOfShape(OPERATION, 'gradOutput', gradOutput, inputs.outputShape);
  const plan = checkAttentionOptions(OPERATION, checked, sizes);

  return memory.scope(OPERATION, () => {
    clearArgs();
    const gradG = memory.floats(g.data);
    placeAttentionInputs(memory, inputs, gradG);
    plan.place(memory);
    const matrices = sizes.batch * kvHeads;
    // Without query heads or value columns all gradients are zeros, and there may be billions of rows to loop over.
    const empty = sizes.heads === 0 || sizes.valueWidth === 0;
    const place = (count: number) => (empty ? memory.zeros(count) : memory.reserve(count));
    const gradQuery = place(inputs.query.data.length);
    const gradKey = place(matrices * sizes.keys * sizes.width);
    const gradValue = place(matrices * sizes.keys * sizes.valueWidth);
    const readOptions = placeOptionGradients(OPERATION, memory, plan.differentiable, ATTENTION_GRADIENTS, sizes);
    words[AttentionGradArgs.gradOutput] = gradG;
    words[AttentionGradArgs.gradQuery] = gradQuery;
    words[AttentionGradArgs.gradKey] = gradKey;
    words[AttentionGradArgs.gradValue] = gradValue;
    if (!empty) memory.run(raw.scaledDotProductAttentionBackward);

    const split = (address: number, fresh: Tensor, old?: Tensor) =>
      old
        ? splitRows(memory, address, matrices, old, fresh)
        : ([undefined, memory.tensor(address, fresh.shape)] as const);
    const [pastKey, newKey] = split(gradKey, inputs.key, past?.key);
    const [pastValue, newValue] = split(gradValue, inputs.value, past?.value);
    return {
      query: memory.tensor(gradQuery, inputs.query.shape),
      key: newKey,
      value: newValue,
      ...readOptions(),
      ...(pastKey && { pastKey }),
      ...(pastValue && { pastValue }),
    };
  });
}

/** Separates the past rows from the new ones, which follow them in each of `matrices` matrices. */
function splitRows(
  memory: Memory,
  address: number,
  matrices: number,
  past: Tensor,
  fresh: Tensor,
): readonly [Tensor, Tensor] {
  const all = memory.read(address, past.data.length + fresh.data.length);
  const size = all.length / matrices || 0;
  const pastSize = past.data.length / matrices || 0;
  const cut = (like: Tensor, from: number, to: number): Tensor => {
    const data = new Float32Array(like.data.length);
    for (let i = 0; i < matrices && data.length > 0; ++i) {
      data.set(all.subarray(i * size + from, i * size + to), i * (to - from));
    }
    return { data, shape: [...like.shape] };
  };
  return [cut(past, 0, pastSize), cut(fresh, pastSize, size)];
}
