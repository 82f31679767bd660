/**
 * Sizes beyond 2^31 floats from little data, each of which once wrapped around or took forever. If a call must be
 * quick, its sizes would take a slow one hours.
 */
import { describe, expect, test } from '@jest/globals';
// No call passes such sizes.
import { Memory } from '../../../web/lib/runtime/memory.js';
import { attention, scaledDotProductAttentionBackward as attentionBackward } from '../../support/library.js';

const zeros = (...shape: number[]) => ({
  data: new Float32Array(shape.reduce((product, axis) => product * axis, 1)),
  shape,
});
const canary = new attention.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 });
const before = canary.stateDict();

function additive(keys: number, hiddens = 1024): unknown {
  const weights = { Wq: zeros(hiddens, 1), Wk: zeros(hiddens, 1), wv: zeros(1, hiddens) };
  return attention.additiveAttention(zeros(1, 1, 1), zeros(1, keys, 1), zeros(1, keys, 1), weights);
}

describe('a size beyond any memory is refused with its bytes, and harms no layer', () => {
  test.each<[string, () => unknown]>([
    [
      'activations of an encoder with many hidden units',
      () =>
        new attention.TransformerEncoderLayer({ numHiddens: 1, numHeads: 1, ffnHiddens: 1024 }).forward(
          zeros(2.1e6, 1, 1),
          { training: true },
        ),
    ],
    [
      'activations of an encoder with many tokens',
      () =>
        new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 2048 }).forward(
          zeros(1700, 512, 64),
          { training: true },
        ),
    ],
    [
      'activations of an encoder that norms first',
      () =>
        new attention.TransformerEncoderLayer({
          numHiddens: 1,
          numHeads: 1,
          ffnHiddens: 512,
          norm: 'pre',
        }).forward(zeros(4.2e6, 1, 1), { training: true }),
    ],
    [
      'gradients of attention over 20 million keys',
      () => attentionBackward(zeros(1, 1), zeros(1, 1), zeros(20.3e6, 1), zeros(20.3e6, 1)),
    ],
    [
      'gradients of attention over 40 million keys',
      () => attentionBackward(zeros(1, 1), zeros(1, 1), zeros(40.5e6, 1), zeros(40.5e6, 1)),
    ],
    ['hidden units of 2.2 million keys', () => additive(2.2e6)],
    ['hidden units of 4.19 million keys', () => additive(4.19e6)],
    ['hidden units of 8.39 million keys', () => additive(8.39e6, 512)],
    [
      'gradients of additive attention',
      () => {
        const [query, keys] = [zeros(1, 1, 1), zeros(1, 4.19e6, 1)];
        const weights = { Wq: zeros(1024, 1), Wk: zeros(1024, 1), wv: zeros(1, 1024) };
        return attention.additiveAttentionBackward(query, query, keys, keys, weights);
      },
    ],
    [
      'weights for a table of 134 million distances',
      () => {
        const x = zeros(1, 1);
        return attention.scaledDotProductAttention(x, x, x, { relativeValues: zeros(2 ** 27 + 1, 1) });
      },
    ],
    [
      'products with a table of 134 million distances',
      () => {
        const x = zeros(1, 1);
        return attention.scaledDotProductAttention(x, x, x, { relativeKeys: zeros(2 ** 27 + 1, 1) });
      },
    ],
    ['more numbers than a double has digits', () => attention.sinusoidalEncoding({ length: 2 ** 30, dim: 2 ** 24 })],
    [
      'a result that systems promise and do not have',
      () => attention.alibiBias({ numHeads: 8, queryLength: 2 ** 14, keyLength: 2 ** 14 }),
    ],
  ])('%s', (_what, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(/^\w+(\.\w+)?: expected \d{10,} free bytes, got out of memory$/);
    expect(canary.stateDict()).toEqual(before);
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
  });
});

describe('empty results take no time:', () => {
  const many = 2 ** 30;
  const past = zeros(2 ** 24, 1, 1, 0);
  const nothing = zeros(1, 2 ** 20, 0);
  test.each<[string, () => unknown]>([
    ['attention', () => attention.scaledDotProductAttention(nothing, nothing, nothing)],
    ['gradients of attention', () => attentionBackward(nothing, nothing, nothing, nothing)],
    [
      'attention behind a past',
      () => attention.scaledDotProductAttention(past, past, past, { pastKey: past, pastValue: past }),
    ],
    [
      'additive attention',
      () =>
        attention.additiveAttention(zeros(1024, 2 ** 20, 0), zeros(1024, 0, 0), zeros(1024, 0, 0), {
          Wq: zeros(1, 0),
          Wk: zeros(1, 0),
          wv: zeros(1, 1),
        }),
    ],
    ['a softmax', () => attention.maskedSoftmax(zeros(many, 0))],
    ['a recurrence', () => attention.rnn(zeros(0, many, 1), { weightIh: zeros(1, 1), weightHh: zeros(1, 1) })],
    ['a convolution', () => attention.conv1d(zeros(2 ** 16, 0, 1), zeros(4, 0, 2 ** 28), { padding: 2 ** 27 })],
    ['buckets', () => attention.t5RelativeBuckets({ queryLength: many, keyLength: 0 })],
    ['a bias', () => attention.t5RelativeBias(zeros(32, 0), { queryLength: 1, keyLength: many })],
    ['patches', () => attention.sinusoidalEncoding2d({ height: many, width: 0, dim: 4 })],
  ])('%s', (_what, call) => {
    expect(call).not.toThrow();
  });
});

describe('nested arrays', () => {
  test.each<[string, () => unknown]>([
    [
      'that contain themselves',
      () => {
        const circle: unknown[] = [];
        circle[0] = circle;
        return attention.tensor(circle as never);
      },
    ],
    [
      'one of which stands in many places',
      () => {
        let level: unknown = [1, 2];
        for (let depth = 0; depth < 40; ++depth) level = [level, level];
        return attention.tensor(level as never);
      },
    ],
  ])('%s are refused', (_what, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(/^tensor: expected .+, got /);
  });
});

test.each([-1, 0.25, NaN, Infinity, 2 ** 60])('memory refuses %p elements', (count) => {
  const heap = { malloc: () => 16, free: () => undefined, HEAPF32: new Float32Array(8) };
  const memory = new Memory(heap as never);
  const refusal = /^op: expected /;
  expect(() => memory.allocate('op', count)).toThrow(refusal);
  memory.scope('op', () => {
    expect(() => memory.reserve(count)).toThrow(refusal);
    expect(memory.reserve(4)).toBe(memory.reserve(0) - 16);
  });
});
