/** Configs in random forms that mean the same as a plain one give the same model, or are refused as that is. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel } from 'wasm-attention/models';
import { attention } from '../../support/library.js';
import { checkpoint } from '../fixtures.js';

type Fields = Record<string, unknown>;

const sizes = fc.constantFrom(8, 16, 32, 64, 128);
const factors = fc.constantFrom(1, 1.5, 2, 4, 8);
const divisors = fc.array(fc.constantFrom(1, 1.25, 2, 5), { minLength: 4, maxLength: 4 });
const original = { original_max_position_embeddings: sizes };
const scalings: fc.Arbitrary<Fields | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ rope_type: fc.constantFrom('linear', 'dynamic'), factor: factors }),
  fc.record({ rope_type: fc.constantFrom('linear', 'dynamic', 'yarn'), factor: factors, ...original }),
  fc.record({
    rope_type: fc.constant('llama3'),
    factor: factors,
    low_freq_factor: fc.constantFrom(1, 2),
    high_freq_factor: fc.constantFrom(2, 4),
    ...original,
  }),
  fc.record({
    rope_type: fc.constant('longrope'),
    factor: factors,
    short_factor: divisors,
    long_factor: divisors,
    ...original,
  }),
);

/** Forms of the same meaning, of `rope_theta` and `rope_scaling`. */
const FORMS: readonly ((rope_theta: number, scaling: Fields | undefined) => Fields)[] = [
  (rope_theta, scaling) => ({ rope_theta, rope_scaling: scaling ?? null, rope_parameters: null }),
  (rope_theta, scaling) => ({ rope_parameters: { rope_type: 'default', ...scaling, rope_theta } }),
  (rope_theta, scaling) => ({ rope_theta, rope_parameters: { rope_type: 'default', ...scaling, rope_theta: null } }),
  (rope_theta, scaling) => {
    const each = { rope_type: 'default', ...scaling, rope_theta };
    return { rope_parameters: { full_attention: each, sliding_attention: { ...each } } };
  },
  (rope_theta, scaling) => ({
    rope_theta,
    rope_parameters: { rope_type: 'default', rope_theta },
    ...(scaling && { rope_scaling: scaling }),
  }),
  (rope_theta, scaling) => {
    if (!scaling) return { rope_theta, rope_scaling: {} };
    const { rope_type, ...rest } = scaling;
    return { rope_theta, rope_scaling: { rope_type: null, type: rope_type, ...rest, attention_factor: null } };
  },
  (rope_theta, scaling) => ({ rope_theta: 7, rope_scaling: { rope_type: 'default', ...scaling, rope_theta } }),
];

test.each(['llama-grouped', 'mistral-window', 'qwen2'])('%s', async (name) => {
  const { config, bytes, architecture } = checkpoint(name);
  expect(architecture.headDim).toBe(8);
  const outcome = async (changes: Fields): Promise<unknown> => {
    const plain = { ...config, rope_theta: undefined, rope_scaling: undefined, rope_parameters: undefined };
    try {
      const model = await openModel({ config: { ...plain, ...changes }, weights: bytes, attention });
      const { data } = model.forward(Array.from({ length: 20 }, (_, i) => i)).logits!;
      const { maxLength } = model;
      model.dispose();
      return { data, maxLength };
    } catch (error) {
      return (error as Error).name;
    }
  };
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(100, 10000, 1e6), scalings, async (theta, scaling) => {
      const plain = await outcome({ rope_theta: theta, ...(scaling && { rope_scaling: scaling }) });
      if (typeof plain === 'object') opened += 1;
      for (const form of FORMS) expect(await outcome(form(theta, scaling))).toEqual(plain);
    }),
  );
  expect(opened).toBeGreaterThan(50);
});
