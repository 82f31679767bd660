/** Tests that calls are refused. */
import { expect, test } from '@jest/globals';

export type Kind = 'TypeError' | 'RangeError';

/** What is wrong with a call, the kind of error that it must throw, and the call. */
export type Rejection = readonly [mistake: string, kind: Kind, call: () => unknown];

/** Throws unless the call throws this kind of error with the message `operation: expected …, got …`. */
export function expectRejected(operation: string, kind: Kind, call: () => unknown): void {
  let thrown: unknown;
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    thrown = error;
  }
  if (thrown === undefined) throw new Error(`expected a ${kind}, but the call returned ${String(result)}`);
  const { name, message } = thrown as Error;
  expect({ name, message }).toEqual({
    name: kind,
    message: expect.stringMatching(new RegExp(`^${operation}(\\.\\w+)?: expected .+, got .+`)),
  });
}

/**
 * Adds a test for each row: the call is refused, and `valid`, a correct call that checks its own result, works right
 * after it.
 */
export function testRejections(operation: string, rows: readonly Rejection[], valid: () => void): void {
  test.each(rows)(`${operation} refuses %s with a %s`, (_mistake, kind, call) => {
    expectRejected(operation, kind, call);
    valid();
  });
}

/** Values that are not tensors, with descriptions. */
export const NOT_TENSORS: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['a string', 'abc'],
  ['a function', () => 1],
  ['an object without data', { shape: [2, 2] }],
  ['data that is a string', { data: 'abcd', shape: [2, 2] }],
  ['data of strings', { data: ['1', '2', '3', '4'], shape: [2, 2] }],
  ['data of bigints', { data: new BigInt64Array(4), shape: [2, 2] }],
  ['a shape that is a string', { data: new Float32Array(4), shape: '2,2' }],
  ['no shape', { data: new Float32Array(4) }],
  ['nested strings', [['a', 'b']]],
  ['nested arrays with holes', [[1, undefined]]],
];

/** Tensors with wrong contents, with descriptions. */
export const BROKEN_TENSORS: readonly (readonly [string, unknown])[] = [
  ['data shorter than its shape', { data: new Float32Array(3), shape: [2, 2] }],
  ['data longer than its shape', { data: new Float32Array(5), shape: [2, 2] }],
  ['a negative axis', { data: new Float32Array(4), shape: [-2, -2] }],
  ['a fractional axis', { data: new Float32Array(3), shape: [1.5, 2] }],
  ['a NaN axis', { data: new Float32Array(0), shape: [NaN, 2] }],
  ['ragged nested arrays', [[1, 2], [3]]],
  ['nested arrays of uneven depth', [[1, 2], 3]],
  ['rank 1', [1, 2, 3]],
  ['rank 5', { data: new Float32Array(1), shape: [1, 1, 1, 1, 1] }],
];
