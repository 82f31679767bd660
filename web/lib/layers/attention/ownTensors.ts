import { toTensor } from '../../check/arrays.js';
import type { TensorLike } from '../../types.js';

/**
 * The options with copies of these tensors, because the caller may change the arrays before they are read.
 *
 * @param path where the options are, for messages
 */
export function ownTensors<T extends object>(
  operation: string,
  options: T,
  names: readonly (keyof T & string)[],
  path = '',
): T {
  const own: Partial<Record<keyof T, unknown>> = { ...options };
  for (const name of names) {
    if (own[name] == null) continue;
    const { data, shape } = toTensor(operation, path + name, own[name] as TensorLike);
    own[name] = { data: data.slice(), shape };
  }
  return own as T;
}
