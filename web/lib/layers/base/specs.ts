import { toTensorOfShape } from '../../check/arrays.js';
import { sizeOf, wrongKind, wrongValue } from '../../check/values.js';
import type { Tensor, TensorLike } from '../../types.js';
import { uniform } from './random.js';

/** A parameter to be made: its name in the state dict, its shape, and a function for its initial values. */
export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly initial: () => Float32Array;
  /** The parameter that this one follows in memory; kernels read both as one matrix. */
  readonly follows?: string;
}

/** A parameter whose initial values are all the same. */
export function constantSpec(name: string, shape: readonly number[], value: number): ParameterSpec {
  return { name, shape, initial: () => new Float32Array(sizeOf(shape)).fill(value) };
}

/**
 * The weight (out, in) and bias of a linear map, uniform within ±1/sqrt(in) as in torch.nn.Linear. `name` is their
 * prefix, or ''. Their random numbers come from `stream` and `stream` + 1.
 */
export function linearSpecs(
  name: string,
  outputs: number,
  inputs: number,
  bias: boolean,
  seed: number,
  stream: number,
): ParameterSpec[] {
  const bound = 1 / Math.sqrt(inputs);
  const spec = (part: string, shape: readonly number[], offset: number): ParameterSpec => ({
    name: name === '' ? part : `${name}.${part}`,
    shape,
    initial: () => uniform(seed, stream + offset, sizeOf(shape), bound),
  });
  const weight = spec('weight', [outputs, inputs], 0);
  return bias ? [weight, spec('bias', [outputs], 1)] : [weight];
}

/** The tensors of a state dict in the order of `specs`; throws unless names and shapes match exactly. */
export function checkState(
  operation: string,
  state: Record<string, TensorLike>,
  specs: readonly ParameterSpec[],
): Tensor[] {
  if (typeof state !== 'object' || state === null) wrongKind(operation, 'an object of tensors', state);
  const names = specs.map(({ name }) => name);
  const surplus = Object.keys(state).filter((name) => !names.includes(name));
  if (surplus.length > 0) {
    wrongValue(operation, `no names but ${names.join(', ') || 'none'}`, surplus.join(', '));
  }
  return specs.map(({ name, shape }) => {
    if (!Object.hasOwn(state, name)) wrongValue(operation, `an entry ${name}`, 'none');
    return toTensorOfShape(operation, name, state[name]!, shape);
  });
}
