import { sizeOf } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionGradients } from '../../types.js';
import type { CheckedAttentionOptions } from './options.js';

type OptionGradients = Pick<AttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;

/** Places zeros for the gradients of attention's options; returns their addresses, and a function that reads them. */
export function placeOptionGradients(
  memory: Memory,
  { bias, relativeKeys, relativeValues }: CheckedAttentionOptions['differentiable'],
): Record<keyof OptionGradients, number> & { read(): OptionGradients } {
  const place = (shape?: readonly number[]): number => (shape ? memory.zeros(sizeOf(shape)) : 0);
  const placed = {
    bias: place(bias),
    relativeKeys: place(relativeKeys),
    relativeValues: place(relativeValues),
  };
  return {
    ...placed,
    read: () => ({
      ...(bias && { bias: memory.tensor(placed.bias, bias) }),
      ...(relativeKeys && { relativeKeys: memory.tensor(placed.relativeKeys, relativeKeys) }),
      ...(relativeValues && { relativeValues: memory.tensor(placed.relativeValues, relativeValues) }),
    }),
  };
}
