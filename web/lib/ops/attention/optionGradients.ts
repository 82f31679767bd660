import { sizeOf } from '../../check/values.js';
import type { Word } from '../../generated/bindings/args.js';
import * as G from '../../generated/bindings/attentionGradArgs.js';
import { words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionGradients } from '../../types.js';
import type { CheckedAttentionOptions } from './options.js';

type Name = keyof CheckedAttentionOptions['differentiable'];

/** The fields of the gradients in C++'s AttentionGradArgs. */
export const ATTENTION_GRADIENTS: Readonly<Record<Name, Word>> = {
  bias: G.gradBias,
  relativeKeys: G.gradRelativeKeys,
  relativeValues: G.gradRelativeValues,
};

/** Places zeros for the gradients of attention's options, and sets their fields; returns a function that reads them. */
export function placeOptionGradients(
  memory: Memory,
  shapes: CheckedAttentionOptions['differentiable'],
  fields: Readonly<Record<Name, Word>>,
): () => Pick<AttentionGradients, Name> {
  const placed = Object.entries(shapes).map(([name, shape]) => {
    const address = (words[fields[name as Name]] = memory.zeros(sizeOf(shape)));
    return { name, address, shape };
  });
  return () =>
    Object.fromEntries(placed.map(({ name, address, shape }) => [name, memory.tensor(address, shape)]));
}
