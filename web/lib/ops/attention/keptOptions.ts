import type { AttentionOptions, TensorLike } from '../../types.js';

/** The options on which the output, and so the gradients, depend. */
const KEPT = [
  'validLens',
  'mask',
  'bias',
  'isCausal',
  'causalOffset',
  'window',
  'scale',
  'softcap',
  'relativeKeys',
  'relativeValues',
  'alibiSlopes',
  'dropout',
  'seed',
] as const satisfies readonly (keyof AttentionOptions)[];

/** Copies checked options for a later backward pass, because the caller may change the arrays before it. */
export function keptOptions(options: AttentionOptions): AttentionOptions {
  return Object.fromEntries(KEPT.map((name) => [name, copyOf(options[name])]));
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return (value as Float32Array).slice();
  if (Array.isArray(value)) return value.map(copyOf);
  const tensor = value as Exclude<TensorLike, readonly unknown[]>;
  return { data: copyOf(tensor.data), shape: [...('shape' in tensor ? tensor.shape : tensor.dims)] };
}
