import { sizeOf } from '../../check/values.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { placeSums } from '../../ops/attention/sums.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import type { MultiHeadAttentionGradients } from './types.js';

type OptionGradients = Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;

/** Places zeros for the gradients of attention's options; returns a function that reads them. */
export function placeOptionGradients(
  memory: Memory,
  options: CheckedAttentionOptions['differentiable'],
  sizes: Parameters<typeof placeSums>[2],
): ReturnType<typeof placeSums> & { read(): OptionGradients } {
  type Shape = readonly number[] | undefined;
  const { bias, relativeKeys, relativeValues } = options;
  const read = (address: number, shape: Shape): Tensor | undefined =>
    shape && { data: memory.read(address, sizeOf(shape)), shape: [...shape] };
  const placed = placeSums(memory, options, sizes);
  return {
    ...placed,
    read: () => ({
      ...(bias && { bias: read(placed.bias.sum, bias) }),
      ...(relativeKeys && { relativeKeys: read(placed.relativeKeys.sum, relativeKeys) }),
      ...(relativeValues && { relativeValues: read(placed.relativeValues.sum, relativeValues) }),
    }),
  };
}
