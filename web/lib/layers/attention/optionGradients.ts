import { sizeOf } from '../../check/values.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { placeSums } from '../../ops/attention/sums.js';
import { freshFloats, type Memory } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import type { MultiHeadAttentionGradients } from './types.js';

type OptionGradients = Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;

/** Places zeros for the gradients of attention's options and makes their results; returns a function that reads them. */
export function placeOptionGradients(
  operation: string,
  memory: Memory,
  options: CheckedAttentionOptions['differentiable'],
  sizes: Parameters<typeof placeSums>[2],
): ReturnType<typeof placeSums> & { read(): OptionGradients } {
  type Shape = readonly number[] | undefined;
  const { bias, relativeKeys, relativeValues } = options;
  const result = (shape: Shape): Tensor | undefined =>
    shape && { data: freshFloats(operation, sizeOf(shape)), shape: [...shape] };
  // Made now: no gradient has been changed yet.
  const results = {
    ...(bias && { bias: result(bias) }),
    ...(relativeKeys && { relativeKeys: result(relativeKeys) }),
    ...(relativeValues && { relativeValues: result(relativeValues) }),
  };
  const placed = placeSums(memory, options, sizes);
  return {
    ...placed,
    read: () => {
      for (const [name, { data }] of Object.entries(results))
        memory.read(placed[name as keyof OptionGradients].sum, data.length, data);
      return results;
    },
  };
}
