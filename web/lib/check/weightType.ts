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

/** Whether this is the number of float16. */
export function isFloat16(type: number): boolean {
  return weightTypes[type] === 'float16';
}

/** The smallest number that rounds to infinity in float16. */
const TOO_LARGE = 65520;

/** Throws a RangeError if a finite number is too large for float16. */
export function checkHalves(operation: string, name: string, data: Float32Array): void {
  for (let i = 0; i < data.length; ++i) {
    const size = Math.abs(data[i]!);
    if (size >= TOO_LARGE && size < Infinity) {
      wrongValue(operation, `${name} within float16, below ${TOO_LARGE}`, data[i]);
    }
  }
}
