import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { attentionCases } from '../support/attentionCases.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { hashed } from '../support/hashed.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';
import { ATTENTION_SIZES } from '../support/sizes.js';

describe('scaledDotProductAttention agrees with PyTorch', () => {
  test.each(attentionCases())('on $name', ({ query, key, value, options, expected }) => {
    const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
    expectFixture(result.output, expected.output);
    if (expected.weights) expectFixture(result.weights, expected.weights);
    const fused = scaledDotProductAttention(query, key, value, options);
    expect(fused.weights).toBeUndefined();
    expectFixture(fused.output, expected.output);
  });

  test.each(loadFixtures('nasty', /^long/))('on $name', (fixture) => {
    const { n, d, valid_len, sample_rows, input_formula } = fixture.attributes as {
      n: number;
      d: number;
      valid_len: number | null;
      sample_rows: number[];
      input_formula: Record<'Q' | 'K' | 'V', { seed: number; multiply: number }>;
    };
    const input = (name: 'Q' | 'K' | 'V') => ({ data: hashed(n * d, input_formula[name]), shape: [1, n, d] });
    const options = valid_len === null ? {} : { validLens: [valid_len] };
    const { output } = scaledDotProductAttention(input('Q'), input('K'), input('V'), options);
    const rows = sample_rows.flatMap((row) => [...output.data.subarray(row * d, (row + 1) * d)]);
    expectFixture({ data: rows, shape: [sample_rows.length, d] }, fixture.output('rows'));
    let [sum, absolute, squares] = [0, 0, 0];
    for (const x of output.data) {
      sum += x;
      absolute += Math.abs(x);
      squares += x * x;
    }
    const checksum = fixture.output('checksum');
    expectFixture({ data: [sum, absolute, squares], shape: [3] }, checksum);
  });
});

describe('scaledDotProductAttention agrees with the float64 oracle', () => {
  test.each(ATTENTION_SIZES)('for L $L, S $S, E $E, Ev $Ev', ({ L, S, E, Ev }) => {
    const random = new Random(L + 100 * S + 10000 * E + Ev);
    const query = random.tensor([2, L, E]);
    const key = random.tensor([2, S, E]);
    const value = random.tensor([2, S, Ev]);
    const validLens = { data: Int32Array.of(random.integer(0, S), S), shape: [2] };
    for (const options of [{}, { validLens }, { isCausal: true }]) {
      const expected = reference(query, key, value, options);
      expectAttention(scaledDotProductAttention(query, key, value, options), { output: expected.output }, value);
      expectAttention(
        scaledDotProductAttention(query, key, value, { ...options, needWeights: true }),
        { output: expected.output, weights: expected.weights },
        value,
      );
    }
  });

  test('for 2047 queries and keys of width 17', () => {
    const random = new Random(17);
    const [query, key, value] = [1, 2, 3].map(() => random.tensor([2047, 17])) as [never, never, never];
    const all = scaledDotProductAttention(query, key, value).output;
    const rows = [0, 1, 1023, 2046];
    const picked = rows.flatMap((row) => [...(query as { data: Float32Array }).data.subarray(row * 17, row * 17 + 17)]);
    const expected = reference({ data: picked, shape: [4, 17] }, key, value);
    const got = rows.flatMap((row) => [...all.data.subarray(row * 17, row * 17 + 17)]);
    expectAttention({ output: { data: got, shape: [4, 17] } }, { output: expected.output }, value);
  });
});
