import { describe, expect, test } from '@jest/globals';
import {
  attentionMultiplyAdds,
  convolutionMultiplyAdds,
  convolutionPathLength,
  recurrenceMultiplyAdds,
} from '../reference/complexity.js';
import { expectClose } from '../support/close.js';
import { loadFixtures } from '../support/fixtures.js';
import { complexity } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('complexity', () => {
  test('gives the number of multiply-adds that the loops do', () => {
    const expectExactly = (actual: number, expected: number): void =>
      expectClose({ data: [actual], shape: [] }, { data: Float64Array.of(expected), shape: [] }, {});
    for (const n of [1, 2, 5, 16, 33]) {
      for (const d of [1, 3, 8]) {
        for (const k of [1, 3, 5]) {
          expectExactly(complexity('cnn', { n, d, k }).multiplyAdds, convolutionMultiplyAdds(n, d, k));
        }
        expectExactly(complexity('rnn', { n, d }).multiplyAdds, recurrenceMultiplyAdds(n, d));
        expectExactly(complexity('self-attention', { n, d }).multiplyAdds, attentionMultiplyAdds(n, d));
      }
    }
  });

  test('is exact beyond 32 bits', () => {
    expect(complexity('self-attention', { n: 2 ** 20, d: 2 ** 10 }).multiplyAdds).toBe(2 ** 51);
    expect(complexity('rnn', { n: 2 ** 20, d: 2 ** 12 }).multiplyAdds).toBe(2 ** 45);
  });

  test('gives one sequential step for a convolution and for attention, one for each token of a recurrence', () => {
    for (const n of [1, 7, 100]) {
      expect(complexity('cnn', { n, d: 4, k: 3 }).sequentialOperations).toBe(1);
      expect(complexity('self-attention', { n, d: 4 }).sequentialOperations).toBe(1);
      expect(complexity('rnn', { n, d: 4 }).sequentialOperations).toBe(n);
    }
  });

  test('gives the longest path between two tokens', () => {
    for (const n of [2, 3, 5, 6, 11, 40]) {
      for (const k of [2, 3, 5, 9]) {
        expect(complexity('cnn', { n, d: 4, k }).maximumPathLength).toBe(convolutionPathLength(n, k));
      }
      expect(complexity('rnn', { n, d: 4 }).maximumPathLength).toBe(n);
      expect(complexity('self-attention', { n, d: 4 }).maximumPathLength).toBe(1);
    }
    // The book's figure: two layers with kernels of 3 connect the first and the last of five tokens.
    expect(complexity('cnn', { n: 5, d: 4, k: 3 }).maximumPathLength).toBe(2);
  });

  test.each(loadFixtures('layers', /^reach/))('agrees with the reach of stacked layers on $name', (fixture) => {
    const { kernel_size, layers, n } = fixture.attributes as {
      kernel_size: number;
      layers: number;
      n: number;
    };
    const { data } = fixture.output('depends');
    // `joined` is the number of tokens that the middle one depends on.
    const middle = (n - 1) / 2;
    const joined = data.slice(middle * n, (middle + 1) * n).reduce((sum, x) => sum + x, 0);
    const needed = (tokens: number) => complexity('cnn', { n: tokens, d: 1, k: kernel_size }).maximumPathLength;
    expect(needed(joined)).toBeLessThanOrEqual(layers);
    if (joined < n) expect(needed(joined + 1)).toBeGreaterThan(layers);
  });

  test("names the textbook's asymptotic classes", () => {
    const order = (architecture: 'cnn' | 'rnn' | 'self-attention') =>
      Object.values(complexity(architecture, { n: 8, d: 4, k: 3 }).order).map((text) => text.replace(/[·\s]/g, ''));
    expect(order('cnn')).toEqual(['O(knd²)', 'O(1)', 'O(n/k)']);
    expect(order('rnn')).toEqual(['O(nd²)', 'O(n)', 'O(n)']);
    expect(order('self-attention')).toEqual(['O(n²d)', 'O(1)', 'O(1)']);
  });

  const call = (architecture: unknown, size?: unknown) => () => complexity(architecture as never, size as never);
  const rows: Rejection[] = [
    ['an unknown architecture', 'RangeError', call('mamba', { n: 1, d: 1 })],
    ['no architecture', 'TypeError', call(undefined, { n: 1, d: 1 })],
    ['no sizes', 'TypeError', call('rnn')],
    ['no n', 'TypeError', call('rnn', { d: 1 })],
    ['n 0', 'RangeError', call('rnn', { n: 0, d: 1 })],
    ['a fractional n', 'RangeError', call('rnn', { n: 1.5, d: 1 })],
    ['d NaN', 'RangeError', call('rnn', { n: 1, d: NaN })],
    ['d as a string', 'TypeError', call('rnn', { n: 1, d: '4' })],
    ['k 0', 'RangeError', call('cnn', { n: 1, d: 1, k: 0 })],
    ['k -3', 'RangeError', call('cnn', { n: 1, d: 1, k: -3 })],
  ];
  testRejections('complexity', rows, () => expect(complexity('rnn', { n: 2, d: 3 }).multiplyAdds).toBe(36));
});
