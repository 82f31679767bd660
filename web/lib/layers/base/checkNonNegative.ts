import { checkFinite, wrongValue } from '../../check/values.js';

/** A finite number of at least 0. */
export function checkNonNegative(operation: string, name: string, value: unknown): number {
  const number = checkFinite(operation, name, value);
  return number >= 0 ? number : wrongValue(operation, `${name} to be at least 0`, number);
}
