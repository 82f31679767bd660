import { checkOut } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import { sizeOf } from '../check/values.js';
import { clearArgs } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { AttentionOptions, AttentionResult, Tensor, TensorLike } from '../types.js';
import { checkRequestedResults } from './attention/requestedResults.js';
import { checkAttentionInputs, placeAttentionInputs } from './attention/inputs.js';
import { ATTENTION_OPTIONS, checkAttentionOptions } from './attention/options.js';

const OPERATION = 'scaledDotProductAttention';

/** See `WasmAttention.scaledDotProductAttention`. */
export function scaledDotProductAttention(
  { raw, memory }: Wasm,
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  options?: AttentionOptions,
): AttentionResult {
  const checked = checkOptions(OPERATION, options, ATTENTION_OPTIONS);
  const inputs = checkAttentionInputs(OPERATION, query, key, value, checked);
  const { past, sizes, kvHeads, outputShape } = inputs;
  const plan = checkAttentionOptions(OPERATION, checked, sizes);
  const placeRequested = checkRequestedResults(OPERATION, checked, sizes);
  const outputCount = sizeOf(outputShape);
  const into = checkOut(OPERATION, 'out.output', checked.out?.output, outputCount);

  return memory.scope(OPERATION, () => {
    clearArgs();
    const output = memory.output(outputCount, into);
    const placed = placeAttentionInputs(memory, inputs, output);
    plan.place(memory);
    const readRequested = placeRequested(memory);
    memory.run(raw.scaledDotProductAttention);

    const result: AttentionResult = {
      output: memory.tensor(output, outputShape, into),
    };
    readRequested(result);
    if (past) {
      const present = (address: number, like: Tensor): Tensor => {
        const columns = like.shape.at(-1)!;
        const data = memory.read(address, sizes.batch * kvHeads * sizes.keys * columns);
        return { data, shape: [...like.shape.slice(0, -2), sizes.keys, columns] };
      };
      result.presentKey = present(placed.key, past.key);
      result.presentValue = present(placed.value, past.value);
    }
    return result;
  });
}
