import { describe, expect, test } from '@jest/globals';
import { attention, tensor } from '../support/library.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';

describe('tensor', () => {
  const expected = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };

  test.each([
    [
      'nested arrays',
      () =>
        tensor([
          [1, 2, 3],
          [4, 5, 6],
        ]),
    ],
    ['data and shape', () => tensor([1, 2, 3, 4, 5, 6], [2, 3])],
    ['a Float32Array and a shape', () => tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3])],
    ['a Uint8Array and a shape', () => tensor(Uint8Array.of(1, 2, 3, 4, 5, 6), [2, 3])],
    ['a tensor', () => tensor(expected)],
    ['a tensor and another shape', () => tensor({ data: expected.data, shape: [6] }, [2, 3])],
    ['`dims`', () => tensor({ data: [1, 2, 3, 4, 5, 6], dims: [2, 3] })],
    ['nested typed arrays', () => tensor([Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)] as never)],
  ])('accepts %s', (_what, make) => {
    expect(make()).toEqual(expected);
    expect(make().data).toBeInstanceOf(Float32Array);
  });

  test('accepts any number of axes, and axes of length 0', () => {
    expect(tensor([1, 2, 3]).shape).toEqual([3]);
    expect(tensor(Float64Array.of(1, 2)).shape).toEqual([2]);
    expect(tensor([[[[[7]]]]]).shape).toEqual([1, 1, 1, 1, 1]);
    expect(tensor([]).shape).toEqual([0]);
    expect(tensor([], [3, 0])).toEqual({ data: new Float32Array(0), shape: [3, 0] });
    expect(tensor([5], [])).toEqual({ data: Float32Array.of(5), shape: [] });
  });

  test('copies data and shape', () => {
    const data = Float32Array.of(1, 2);
    const shape = [2];
    const made = tensor({ data, shape });
    data[0] = 9;
    shape[0] = 1;
    expect(made).toEqual({ data: Float32Array.of(1, 2), shape: [2] });
  });

  test('rounds to float32 and keeps NaN and infinities', () => {
    expect([...tensor([0.1, NaN, Infinity, -Infinity, 1e300]).data]).toEqual([
      Math.fround(0.1),
      NaN,
      Infinity,
      -Infinity,
      Infinity,
    ]);
  });

  const call = (data: unknown, shape?: unknown) => () => tensor(data as never, shape as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', call(bad)]),
    ['data shorter than the shape', 'RangeError', call([1, 2, 3], [2, 2])],
    ['data longer than the shape', 'RangeError', call([1, 2, 3], [2])],
    ['ragged arrays', 'RangeError', call([[1, 2], [3]])],
    ['arrays of uneven depth', 'RangeError', call([[1, 2], 3])],
    ['a negative axis', 'RangeError', call([1, 2], [-2])],
    ['a fractional axis', 'RangeError', call([1, 2, 3], [1.5, 2])],
    ['a shape that is a number', 'TypeError', call([1, 2], 2)],
    ['a shape of strings', 'TypeError', call([1, 2], ['2'])],
  ];
  testRejections('tensor', rows, () => expect(tensor([[1]]).shape).toEqual([1, 1]));
});

describe('an ArrayLike', () => {
  test('is accepted like an array as a tensor, as its data, as lengths and as positions', () => {
    const two = { length: 2, 0: 1, 1: 2 };
    expect(attention.tensor(two)).toEqual(attention.tensor([1, 2]));
    expect(attention.tensor({ data: two, shape: [2, 1] })).toEqual(attention.tensor([[1], [2]]));
    const scores = [[[1, 2, 3]], [[1, 2, 3]]];
    expect(attention.maskedSoftmax(scores, two)).toEqual(attention.maskedSoftmax(scores, [1, 2]));
    expect(attention.sinusoidalEncoding({ dim: 3, positions: two })).toEqual(
      attention.sinusoidalEncoding({ dim: 3, positions: [1, 2] }),
    );
  });

  test('is refused if its length is not a whole number or it contains strings', () => {
    for (const wrong of [{ length: 1.5 }, { length: -1 }, { length: 1, 0: 'a' }]) {
      expect(() => attention.tensor(wrong as never)).toThrow(/^tensor: expected .+, got .+/);
    }
  });
});
