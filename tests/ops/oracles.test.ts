/** The oracles agree with PyTorch's float64 results. Other tests rely on this. */
import { describe, expect, test } from '@jest/globals';
import { conv1d } from '../reference/conv1d.js';
import { maskedSoftmax } from '../reference/maskedSoftmax.js';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { rnn } from '../reference/rnn.js';
import { scaledDotProductAttention } from '../reference/scaledDotProductAttention.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { alibiBias } from '../reference/alibiBias.js';
import { alibiSlopes } from '../reference/alibiSlopes.js';
import { relativeShift } from '../reference/relativeShift.js';
import { rotaryEmbedding } from '../reference/rotaryEmbedding.js';
import { rotaryEmbeddingBackward } from '../reference/rotaryEmbeddingBackward.js';
import { bucketOf } from '../reference/t5RelativeBuckets.js';
import { encodingRotation } from '../reference/encodingRotation.js';
import { attentionCases, positionalCases } from '../support/attentionCases.js';
import { expectClose } from '../support/close.js';
import { convolutionInputs } from '../support/convolutionCases.js';
import { loadFixtures } from '../support/fixtures.js';
import { rotaryCases } from '../support/rotaryCases.js';
import { multiHeadCases } from '../support/multiHeadCases.js';

/** Both are computed in float64: a few hundred roundings of 2^-53, which a softmax over logits below 100 amplifies. */
const DOUBLE = { rtol: 1e-11, atol: 1e-11 };

describe('the float64 oracles agree with PyTorch', () => {
  test.each([...attentionCases(), ...positionalCases()])(
    'on attention: $name',
    ({ query, key, value, options, expected }) => {
      const result = scaledDotProductAttention(query, key, value, options);
      expectClose(result.output, expected.output, scaleOf(expected.output.atol));
      if (expected.weights) expectClose(result.weights, expected.weights, DOUBLE);
      if (expected.logSumExp) expectClose(result.logSumExp, expected.logSumExp, DOUBLE);
    },
  );

  test.each(multiHeadCases())('on multi-head attention: $name', ({ inputs, numHeads, d2lState, options, expected }) => {
    const result = multiHeadAttention(...inputs, { numHeads, state: d2lState }, options);
    expectClose(result.output, expected.output, DOUBLE);
    expectClose(expected.averaged ? expected.averaged(result.weights) : result.weights, expected.weights, DOUBLE);
  });

  test.each(loadFixtures('d2l_attention', /^masked_softmax/))('on masked softmax: $name', (fixture) => {
    const result = maskedSoftmax(fixture.input('X'), fixture.input('valid_lens'));
    expectClose(result, fixture.output('output'), DOUBLE);
  });

  test.each(loadFixtures('nasty', /^softmax/))('on softmax: $name', (fixture) => {
    expectClose(maskedSoftmax(fixture.input('x')), fixture.output('output'), DOUBLE);
  });

  test.each(loadFixtures('layers', /^conv1d/))('on a convolution: $name', (fixture) => {
    const [x, options] = convolutionInputs(fixture);
    expectClose(conv1d(x, fixture.input('weight'), options), fixture.output('output'), DOUBLE);
  });

  test.each(loadFixtures('layers', /^rnn_nobias/))('on a recurrence: $name', (fixture) => {
    const weights = { weightIh: fixture.input('weight_ih_l0'), weightHh: fixture.input('weight_hh_l0') };
    expectClose(rnn(fixture.input('x'), weights).output, fixture.output('output'), DOUBLE);
  });

  test.each(loadFixtures('layers', /^rnn_two_layers/))('on a recurrence: $name', (fixture) => {
    const weights = (layer: number) => ({
      weightIh: fixture.input(`weight_ih_l${layer}`),
      weightHh: fixture.input(`weight_hh_l${layer}`),
      biasIh: fixture.input(`bias_ih_l${layer}`),
      biasHh: fixture.input(`bias_hh_l${layer}`),
    });
    const first = rnn(fixture.input('x'), weights(0));
    const second = rnn(first.output, weights(1));
    expectClose(second.output, fixture.output('output'), DOUBLE);
    const finalStates = [...first.finalState.data, ...second.finalState.data];
    expectClose({ data: finalStates, shape: [2, 1, 6] }, fixture.output('h_n'), DOUBLE);
  });

  test.each(loadFixtures('positional', /^sinusoidal/))('on sinusoids: $name', (fixture) => {
    const positions = fixture.input('positions').data;
    const { num_hiddens, base } = fixture.attributes as { num_hiddens: number; base: number };
    const P = sinusoidalEncoding({ length: positions.length, dim: num_hiddens, base, positions });
    // PyTorch computes the angle in float64, which is off by up to 4·2^-53 of itself, at positions up to 1e5.
    expectClose(P, fixture.output('P'), { atol: 1e5 * 4 * 2 ** -53 + 1e-15 });
  });

  test.each(rotaryCases())('on rotary embedding: $name', ({ x, gradOutput, options, expected }) => {
    // The same error of the angle, times values below 4.
    const tolerance = { atol: 4e5 * 4 * 2 ** -53 + 1e-14 };
    expectClose(rotaryEmbedding(x, options), expected.output, tolerance);
    expectClose(rotaryEmbeddingBackward(gradOutput, options), expected.gradient, tolerance);
  });

  test.each(loadFixtures('positional', /^alibi_slopes/))('on ALiBi slopes: $name', (fixture) => {
    const { num_heads } = fixture.attributes as { num_heads: number };
    expectClose({ data: alibiSlopes(num_heads), shape: [num_heads] }, fixture.output('slopes'), DOUBLE);
  });

  test.each(loadFixtures('positional', /^alibi_bias/))('on ALiBi biases: $name', (fixture) => {
    const { num_heads, query_length, symmetric } = fixture.attributes as {
      num_heads: number;
      query_length: number;
      symmetric: boolean;
    };
    const bias = alibiBias({
      numHeads: num_heads,
      queryLength: query_length,
      symmetric,
      isCausal: !symmetric,
    });
    expectClose(bias, fixture.output('bias'), DOUBLE);
  });

  test.each(loadFixtures('positional', /^t5_bucket/))('on T5 buckets: $name', (fixture) => {
    const { bidirectional, num_buckets, max_distance } = fixture.attributes as {
      bidirectional: boolean;
      num_buckets: number;
      max_distance: number;
    };
    const options = { bidirectional, numBuckets: num_buckets, maxDistance: max_distance };
    const buckets = Array.from(fixture.input('relative_position').data, (distance) => bucketOf(distance, options));
    expect(buckets).toEqual([...fixture.output('bucket').data]);
  });

  test.each(loadFixtures('positional', /^huang/))('on skewing: $name', (fixture) => {
    expectClose(relativeShift(fixture.output('QEr')), fixture.output('S_rel_lower'), DOUBLE);
  });
});

test('the exact angles agree with float64 at small positions, and are exact at 2^24', () => {
  const P = sinusoidalEncoding({ length: 3, dim: 6, positions: [1, 7, 2 ** 24] });
  [1, 7].forEach((position, row) => {
    for (let j = 0; j < 3; ++j) {
      expect(P.data[row * 6 + 2 * j]).toBeCloseTo(Math.sin(position / 10000 ** ((2 * j) / 6)), 14);
    }
  });
  // The angle is exactly 2^24 radians, which Math.sin and Math.cos reduce exactly.
  expect(Math.abs(P.data[12]! - Math.sin(2 ** 24))).toBeLessThan(1e-15);
  expect(Math.abs(P.data[13]! - Math.cos(2 ** 24))).toBeLessThan(1e-15);
});

test('the oracle of encodingRotation turns rows of the oracle of sinusoidalEncoding', () => {
  const P = sinusoidalEncoding({ length: 40, dim: 10 });
  const M = encodingRotation({ delta: 17, dim: 10 });
  for (let i = 0; i + 17 < 40; ++i) {
    for (let j = 0; j < 5; ++j) {
      const [a, b, c, d] = M.data.slice(4 * j, 4 * j + 4) as unknown as [number, number, number, number];
      const [s, t] = [P.data[i * 10 + 2 * j]!, P.data[i * 10 + 2 * j + 1]!];
      expect(a * s + b * t).toBeCloseTo(P.data[(i + 17) * 10 + 2 * j]!, 13);
      expect(c * s + d * t).toBeCloseTo(P.data[(i + 17) * 10 + 2 * j + 1]!, 13);
    }
  }
});

/** Values of 1e30 have roundings of 1e30·2^-53. The fixture's atol shows how large its values are. */
function scaleOf(atol: number): { rtol: number; atol: number } {
  return { rtol: 1e-11, atol: Math.max(atol * 1e-5, 1e-300) };
}
