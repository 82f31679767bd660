import { sizeOf } from '../../check/values.js';
import type { Word } from '../../generated/bindings/args.js';
import * as AttentionGradArgs from '../../generated/bindings/attentionGradArgs.js';
import { words } from '../../runtime/args.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { AttentionGradients } from '../../types.js';
import type { AttentionSizes, CheckedAttentionOptions } from './options.js';

type Name = keyof CheckedAttentionOptions['differentiable'];

/** The fields in C++'s AttentionGradArgs of each gradient and of the rounding errors of its sums. */
export const ATTENTION_GRADIENTS: OptionFields = {
  bias: [AttentionGradArgs.gradBias, AttentionGradArgs.biasCompensation],
  relativeKeys: [AttentionGradArgs.gradRelativeKeys, AttentionGradArgs.relativeKeysCompensation],
  relativeValues: [AttentionGradArgs.gradRelativeValues, AttentionGradArgs.relativeValuesCompensation],
  sinks: [AttentionGradArgs.gradSinks, AttentionGradArgs.sinksCompensation],
};
export type OptionFields = Readonly<Record<Name, readonly [sum: Word, compensation: Word]>>;

/** As in cpp/simd/long_sum.h: sums of more terms are compensated. */
const RUN = 128;

/**
 * Places zeros for the gradients of attention's options, sets their fields and allocates their results; returns a
 * function that reads them. That function allocates nothing, because gradients of a layer may have changed by then.
 */
export function placeOptionGradients(
  operation: string,
  memory: Memory,
  shapes: CheckedAttentionOptions['differentiable'],
  fields: OptionFields,
  { batch, heads, queries, keys }: Pick<AttentionSizes, 'batch' | 'heads' | 'queries' | 'keys'>,
): () => Pick<AttentionGradients, Name> {
  const placed = Object.entries(shapes).map(([name, shape]) => {
    const size = sizeOf(shape);
    // Every score adds to a bias, every head to each element of a table.
    const terms = batch * heads * (name === 'bias' ? (queries * keys) / size : 1);
    const [sum, compensation] = fields[name as Name];
    const address = (words[sum] = memory.zeros(terms > RUN ? 2 * size : size));
    if (terms > RUN) words[compensation] = address + 4 * size;
    return { name, address, data: fresh(operation, Float32Array, size), shape: [...shape] };
  });
  return () =>
    Object.fromEntries(
      placed.map(({ name, address, data, shape }) => {
        return [name, { data: memory.read(address, data.length, data), shape }];
      }),
    );
}
