import { expect, test } from '@jest/globals';
import { tensor } from '../../support/library.js';

test('nested arrays with more numbers than an array can hold do not crash the process', () => {
  const row = Array.from({ length: 12_000 }, (_, i) => i);
  const { data, shape } = tensor(Array<number[]>(12_000).fill(row));
  expect(shape).toEqual([12_000, 12_000]);
  expect(data[data.length - 1]).toBe(11_999);
});
