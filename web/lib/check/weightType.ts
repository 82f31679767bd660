import { weightTypes } from '../generated/bindings/enums.js';
import { wrongKind, wrongValue } from './values.js';

/** How numbers are stored. */
export type WeightType = 'float32' | 'float16' | 'int8';

/** How the matrices of models and layers are stored. */
export type MatrixType = WeightType | 'int8-fine';

const MATRIX_TYPES = ['float32', 'float16', 'int8', 'int8-fine'] as const satisfies readonly MatrixType[];
const WEIGHT_TYPES = MATRIX_TYPES.slice(0, 3);
const numberOf = (type: (typeof weightTypes)[number]): number => weightTypes.indexOf(type);
export const FLOAT16 = numberOf('float16');
export const INT8 = numberOf('int8');
const INT8_TABLE = numberOf('int8-table');

function numberIn(types: readonly MatrixType[], operation: string, name: string, value: unknown): number {
  const expected = `${name} to be one of ${types.join(', ')}`;
  if (value === undefined) return 0;
  if (typeof value !== 'string') return wrongKind(operation, expected, value);
  return types.includes(value as MatrixType) ? numberOf(value as MatrixType) : wrongValue(operation, expected, value);
}

/** The type's number in C++; `undefined` is float32. */
export const checkWeightType = (operation: string, name: string, value: unknown): number =>
  numberIn(WEIGHT_TYPES, operation, name, value);

/** The same for the matrices of models and layers. */
export const checkMatrixType = (operation: string, name: string, value: unknown): number =>
  numberIn(MATRIX_TYPES, operation, name, value);

/** The type's name for users. */
export function nameOf(type: number): MatrixType {
  return MATRIX_TYPES[type] ?? 'int8';
}

/** Whether the type is one of products with whole numbers. */
export function isInt8(type: number): boolean {
  return type >= INT8 && type < INT8_TABLE;
}

/** The type of a table of which rows are only looked up. */
export function tableType(type: number): number {
  return isInt8(type) ? INT8_TABLE : type;
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
