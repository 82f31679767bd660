/**
 * More keys than a block of the kernel: an online softmax, which reads the keys block by block, could go wrong here.
 */
import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../../reference/scaledDotProductAttention.js';
import { expectAttention } from '../../support/attentionTolerance.js';
import { scaledDotProductAttention } from '../../support/library.js';
import { Random } from '../../support/random.js';

const S = 1100;

/** With width 1, scale 1 and a query of 1 the keys are the logits. */
function check(logits: readonly number[], options: { mask?: boolean[]; bias?: number[] } = {}): void {
  const query = { data: Float32Array.of(1), shape: [1, 1] };
  const key = { data: Float32Array.from(logits), shape: [logits.length, 1] };
  const value = new Random(1).tensor([logits.length, 3]);
  const given = {
    scale: 1,
    ...(options.mask && { mask: { data: options.mask, shape: [logits.length] } }),
    ...(options.bias && { bias: { data: Float32Array.from(options.bias), shape: [logits.length] } }),
  };
  const expected = reference(query, key, value, given);
  const result = scaledDotProductAttention(query, key, value, {
    ...given,
    needWeights: true,
    needLogSumExp: true,
  });
  expectAttention(result, { ...expected }, value);
  expectAttention(scaledDotProductAttention(query, key, value, given), { output: expected.output }, value);
}

const every = (f: (j: number) => number): number[] => Array.from({ length: S }, (_, j) => f(j));

describe('scaledDotProductAttention agrees with the oracle over many keys', () => {
  test.each<[string, number[]]>([
    ['rise to the end', every((j) => j / 64)],
    ['fall from the start', every((j) => -j / 64)],
    ['rise so steeply that only the last keys count', every((j) => j)],
    ['have their maximum at the last key', every((j) => (j === S - 1 ? 30 : 0))],
    ['have their maximum at the first key', every((j) => (j === 0 ? 30 : 0))],
    ['jump up and down between blocks', every((j) => (Math.floor(j / 100) % 2 === 0 ? -20 : 20))],
    ['are equal and large', every(() => 1e4)],
    ['are equal and very negative', every(() => -1e30)],
    ['begin at -1e30', every((j) => (j < 600 ? -1e30 : j / 1000))],
    ['end at -1e30', every((j) => (j > 600 ? -1e30 : j / 1000))],
    ['are -Infinity except for one key', every((j) => (j === 777 ? 3 : -Infinity))],
    ['begin with -Infinity', every((j) => (j < 900 ? -Infinity : j / 1000))],
    ['are all -Infinity', every(() => -Infinity)],
  ])('whose logits %s', (_what, logits) => {
    check(logits);
  });

  test.each<[string, (j: number) => boolean]>([
    ['the first 300', (j) => j >= 300],
    ['the last 300', (j) => j < S - 300],
    ['300 in the middle', (j) => j < 300 || j >= 600],
    ['all except the last', (j) => j === S - 1],
    ['all except the first', (j) => j === 0],
    ['every other one', (j) => j % 2 === 0],
    ['all', () => false],
  ])('of which a mask or a bias of -Infinity hides %s', (_what, visible) => {
    const logits = [...new Random(2).tensor([S], 3).data];
    check(logits, { mask: every(Number).map(visible) });
    check(logits, { bias: every((j) => (visible(j) ? j / S : -Infinity)) });
    // The hidden logits would be the maximum.
    check(
      every((j) => (visible(j) ? logits[j]! : 1e4)),
      { mask: every(Number).map(visible) },
    );
  });
});

describe('scaledDotProductAttention over many keys', () => {
  test('gives equal keys exactly equal weights, also beyond a block', () => {
    for (const n of [250, 256, 257, 512, 1000, 1024, 2047]) {
      const key = { data: new Float32Array(n * 2).fill(0.3), shape: [n, 2] };
      const { weights } = scaledDotProductAttention([[1, 2]], key, key, { needWeights: true });
      expect(weights!.data).toEqual(new Float32Array(n).fill(1 / n));
    }
  });

  test.each([5, 300, S])(
    'makes the row of a query NaN, like PyTorch, if it attends to a NaN or +Infinity among %i keys',
    (n) => {
      const random = new Random(n);
      const query = { data: Float32Array.of(1, -1, 2), shape: [3, 1] };
      const [key, value] = [random.tensor([n, 1]), random.tensor([n, 2])];
      const clean = scaledDotProductAttention(query, key, value, { validLens: [n - 1] }).output;
      for (const at of [0, Math.floor(n / 2), n - 2]) {
        for (const needWeights of [true, false]) {
          const bad = { data: key.data.slice(), shape: key.shape };
          bad.data[at] = NaN;
          const { output } = scaledDotProductAttention(query, bad, value, { needWeights });
          expect([...output.data]).toEqual(new Array(6).fill(NaN));
          bad.data[at] = Infinity;
          const infinite = scaledDotProductAttention(query, bad, value, { needWeights }).output;
          // The second query is negative, so its logit is -Infinity, which hides the key.
          expect([...infinite.data].map(Number.isNaN)).toEqual([true, true, false, false, true, true]);
        }
      }
      const last = { data: key.data.slice(), shape: key.shape };
      last.data[n - 1] = NaN;
      expect(scaledDotProductAttention(query, last, value, { validLens: [n - 1] }).output).toEqual(clean);
    },
  );

  test.each([5, 300, S])(
    'returns Infinity for the queries that attend to an infinite value among %i keys, and only for them',
    (n) => {
      const random = new Random(n);
      const [query, key, value] = [random.tensor([n, 3]), random.tensor([n, 3]), random.tensor([n, 2])];
      const clean = scaledDotProductAttention(query, key, value, { isCausal: true }).output.data;
      const at = Math.floor(n / 2);
      value.data[at * 2] = Infinity;
      for (const needWeights of [true, false]) {
        const { data } = scaledDotProductAttention(query, key, value, { isCausal: true, needWeights }).output;
        const wrong = Array.from(data).filter((x, i) =>
          i % 2 === 0 && i / 2 >= at ? x !== Infinity : !(Math.abs(x - clean[i]!) < 1e-5),
        );
        expect(wrong).toEqual([]);
      }
    },
  );
});
