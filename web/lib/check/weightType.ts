import { weightTypes } from '../generated/bindings/enums.js';
import { wrongKind, wrongValue } from './values.js';

/** How numbers are stored. */
export type WeightType = 'float32' | 'float16' | 'int8';

/** The type's number in C++; `undefined` is float32. */
export function checkWeightType(operation: string, name: string, value: unknown): number {
  const expected = `${name} to be one of ${weightTypes.join(', ')}`;
  if (value === undefined) return 0;
  if (typeof value !== 'string') return wrongKind(operation, expected, value);
  const found = (weightTypes satisfies readonly WeightType[]).indexOf(value as WeightType);
  return found < 0 ? wrongValue(operation, expected, value) : found;
}
