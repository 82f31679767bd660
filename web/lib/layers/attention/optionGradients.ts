import { sizeOf } from '../../check/values.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import type { MultiHeadAttentionGradients } from './types.js';

type OptionGradients = Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;

/** The gradients of attention's options: zeros to be added to, and the way to read those that were given. */
export function placeOptionGradients(
  memory: Memory,
  { bias, relativeKeys, relativeValues }: CheckedAttentionOptions['differentiable'],
): { addresses: number[]; read(): OptionGradients } {
  const placed = Object.entries({ bias, relativeKeys, relativeValues }).map(([name, shape]) => ({
    name,
    shape,
    address: shape ? memory.floats(new Float32Array(sizeOf(shape))) : 0,
  }));
  return {
    addresses: placed.map(({ address }) => address),
    read: () =>
      Object.fromEntries(
        placed.flatMap(({ name, shape, address }): [string, Tensor][] =>
          shape ? [[name, { data: memory.read(address, sizeOf(shape)), shape: [...shape] }]] : [],
        ),
      ),
  };
}
