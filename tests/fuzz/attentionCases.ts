/** Calls of the attention functions and of maskedSoftmax. */
import fc from 'fast-check';
import type { AttentionResult, Tensor } from 'wasm-attention';
import { additiveAttention } from '../reference/additiveAttention.js';
import { additiveAttentionBackward } from '../reference/additiveAttentionBackward.js';
import { maskedSoftmax } from '../reference/maskedSoftmax.js';
import { scaledDotProductAttention } from '../reference/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward } from '../reference/scaledDotProductAttentionBackward.js';
import { additiveError, NAMES, randomAdditive } from '../support/additiveCases.js';
import { ALL_FEATURES, attentionCall, type RandomCall } from '../support/attentionArbitrary.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectGradients } from '../support/gradientTolerance.js';
import type { Case } from './cases.js';
import type { Draw } from './draw.js';
import { attention } from './watched.js';

/** The calls of the property tests, with sizes up to 65. */
const CALLS = attentionCall(ALL_FEATURES);

function drawCall(draw: Draw): RandomCall {
  return fc.sample(CALLS, { seed: draw.integer(0, 2 ** 31 - 1), numRuns: 1 })[0]!;
}

/** The options, with their tensors in any accepted form. */
function formed(draw: Draw, options: RandomCall['options']): Record<string, unknown> {
  const tensors = ['bias', 'pastKey', 'pastValue', 'relativeKeys', 'relativeValues', 'sinks'];
  return Object.fromEntries(
    Object.entries(options as Record<string, unknown>).map(([name, value]) => [
      name,
      tensors.includes(name) ? draw.form(value as RandomCall['query']) : value,
    ]),
  );
}

export const attentionCases = {
  scaledDotProductAttention(draw: Draw): Case {
    const { query, key, value, options } = drawCall(draw);
    const wanted = draw.options({
      needWeights: draw.maybe(() => true),
      needLogSumExp: draw.maybe(() => true),
      needScores: draw.maybe(() => draw.pick(['scaled', 'softcapped', 'masked'] as const), 0.2),
    });
    return {
      args: [draw.form(query), draw.form(key), draw.form(value), { ...formed(draw, options), ...wanted }],
      call: (...given: Parameters<typeof attention.scaledDotProductAttention>) =>
        attention.scaledDotProductAttention(...given),
      check(result: AttentionResult) {
        const expected = scaledDotProductAttention(query, key, value, options);
        expectAttention(
          result,
          {
            output: expected.output,
            masked: expected.masked,
            ...(wanted.needWeights === true && { weights: expected.weights }),
            ...(wanted.needLogSumExp === true && { logSumExp: expected.logSumExp }),
          },
          // What the weights mix: the values, with relative values added to them.
          {
            data: [
              ...value.data,
              ...(options.pastValue ? Array.from(options.pastValue.data) : []),
              maxAbs(value.data) + maxAbs(options.relativeValues?.data ?? []),
            ],
            shape: [],
          },
        );
      },
    };
  },

  scaledDotProductAttentionBackward(draw: Draw): Case {
    const { query, key, value, options } = drawCall(draw);
    const gradOutput = draw.numbers([...query.shape.slice(0, -1), value.shape.at(-1)!]);
    return {
      args: [draw.form(gradOutput), draw.form(query), draw.form(key), draw.form(value), formed(draw, options)],
      call: (...given: Parameters<typeof attention.scaledDotProductAttentionBackward>) =>
        attention.scaledDotProductAttentionBackward(...given),
      check(result: Record<string, Tensor>) {
        expectGradients(
          result,
          scaledDotProductAttentionBackward(gradOutput, query, key, value, options),
          scaledDotProductAttention(query, key, value, options).masked,
        );
      },
    };
  },

  maskedSoftmax(draw: Draw): Case {
    const shape = Array.from({ length: draw.integer(2, 4) }, () => draw.axisOrNone());
    const [L, S] = shape.slice(-2) as [number, number];
    const B = shape.length > 2 ? shape[0]! : 1;
    const scores = draw.numbers(shape, 3);
    scores.data.forEach((_, i) => {
      if (draw.chance(0.1)) scores.data[i] = -Infinity;
    });
    const lens = draw.maybe(() => draw.integers(draw.chance(0.5) ? [B] : [B, L], 0, S + 2));
    return {
      args: [draw.form(scores), lens],
      call: (...given: Parameters<typeof attention.maskedSoftmax>) => attention.maskedSoftmax(...given),
      check(result: Tensor) {
        // As in maskedSoftmax.test.ts: an exponential, the roundings of a sum, a division.
        const tolerance = { rtol: (32 + Math.sqrt(S)) * EPS, atol: 2 ** -126 };
        expectClose(result, maskedSoftmax(scores, lens), tolerance);
      },
    };
  },

  additiveAttention(draw: Draw): Case {
    const { tensors, lens, args } = additive(draw);
    return {
      args,
      call: (...given: Parameters<typeof attention.additiveAttention>) => attention.additiveAttention(...given),
      check(result: { output: Tensor; weights: Tensor }) {
        const expected = additiveAttention(tensors, lens);
        const error = additiveError(tensors, expected.size);
        expectClose(result.weights, expected.weights, { rtol: error, atol: 2 ** -126 });
        expectClose(result.output, expected.output, { atol: error * maxAbs(tensors.values.data) });
      },
    };
  },

  additiveAttentionBackward(draw: Draw): Case {
    const { tensors, lens, args } = additive(draw);
    const gradOutput = draw.numbers([...tensors.queries.shape.slice(0, 2), tensors.values.shape[2]!]);
    return {
      args: [draw.form(gradOutput), ...args],
      call: (...given: Parameters<typeof attention.additiveAttentionBackward>) =>
        attention.additiveAttentionBackward(...given),
      check(result: Record<(typeof NAMES)[number], Tensor>) {
        const expected = additiveAttentionBackward(gradOutput, tensors, lens);
        // As in additiveAttentionBackward.test.ts: weights in two factors, and a slope.
        const allowed = 3 * additiveError(tensors, additiveAttention(tensors, lens).size);
        for (const name of NAMES) {
          // Terms below 2^-126, the smallest normal float32, may become zero.
          const atol = allowed * maxAbs(expected[name].magnitude) + 2 ** -126;
          expectClose(result[name], expected[name], { atol });
        }
      },
    };
  },
};

function additive(draw: Draw) {
  const [B, L, S] = [draw.integer(1, 3), draw.axis(), draw.axis()];
  const sizes = { B, L, S, Dq: draw.axis(), Dk: draw.axis(), Dv: draw.axis(), D: draw.axis() };
  const tensors = randomAdditive(draw, sizes);
  const lens = draw.maybe(() => draw.integers(draw.chance(0.5) ? [B] : [B, L], 0, S + 2));
  const { queries, keys, values, Wq, Wk, wv } = tensors;
  const weights = { Wq: draw.form(Wq), Wk: draw.form(Wk), wv: draw.form(wv) };
  const args = [draw.form(queries), draw.form(keys), draw.form(values), weights, lens && { validLens: lens }];
  return { tensors, lens, args };
}
