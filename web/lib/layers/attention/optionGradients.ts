import { sizeOf } from '../../check/values.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import type { MultiHeadAttentionGradients } from './types.js';

type OptionGradients = Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;

/** Places zeros for the gradients of attention's options; returns a function that reads them. */
export function placeOptionGradients(
  memory: Memory,
  { bias, relativeKeys, relativeValues }: CheckedAttentionOptions['differentiable'],
): Record<keyof OptionGradients, number> & { read(): OptionGradients } {
  type Shape = readonly number[] | undefined;
  const place = (shape: Shape): number => {
    if (!shape) return 0;
    const address = memory.reserve(sizeOf(shape));
    memory.clear(address, sizeOf(shape));
    return address;
  };
  const read = (address: number, shape: Shape): Tensor | undefined =>
    shape && { data: memory.read(address, sizeOf(shape)), shape: [...shape] };
  const placed = {
    bias: place(bias),
    relativeKeys: place(relativeKeys),
    relativeValues: place(relativeValues),
  };
  return {
    ...placed,
    read: () => ({
      ...(bias && { bias: read(placed.bias, bias) }),
      ...(relativeKeys && { relativeKeys: read(placed.relativeKeys, relativeKeys) }),
      ...(relativeValues && { relativeValues: read(placed.relativeValues, relativeValues) }),
    }),
  };
}
