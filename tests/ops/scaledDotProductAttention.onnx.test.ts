/**
 * The features of ONNX's Attention operator (opsets 23 to 25) as calls of the library: packed heads are split, a
 * boolean attn_mask is `mask`, a float one `bias`, and nonpad_kv_seqlen is `validLens` with causalOffset
 * nonpad_kv_seqlen[b] - L.
 */
import { describe, expect, test } from '@jest/globals';
import { splitHeads } from '../reference/multiHeadAttention.js';
import {
  scaledDotProductAttention as reference,
  type AttentionReferenceOptions,
} from '../reference/scaledDotProductAttention.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose } from '../support/close.js';
import { scaledDotProductAttention } from '../support/library.js';
import { poisonPadding } from '../support/poison.js';
import { Random, type RandomTensor } from '../support/random.js';

const [B, L, S, E, Ev] = [2, 4, 6, 8, 10];

/** As many key heads as query heads, fewer, and one. */
const HEADS = [
  { H: 3, Hkv: 3, name: 'multi-head' },
  { H: 9, Hkv: 3, name: 'grouped-query' },
  { H: 4, Hkv: 1, name: 'multi-query' },
];

/** Query, key and value, packed by token as ONNX's inputs of rank 3 are, and split into heads. */
function inputs(H: number, Hkv: number): [RandomTensor, RandomTensor, RandomTensor] {
  const random = new Random(10 * H + Hkv);
  const split = (packed: RandomTensor, heads: number): RandomTensor => {
    const { data, shape } = splitHeads(packed, heads);
    return { data: Float32Array.from(data), shape };
  };
  return [
    split(random.tensor([B, L, H * E]), H),
    split(random.tensor([B, S, Hkv * E]), Hkv),
    split(random.tensor([B, S, Hkv * Ev]), Hkv),
  ];
}

/** Compares all results, including the scores of every stage, with the oracle. */
function check(call: [RandomTensor, RandomTensor, RandomTensor], options: AttentionReferenceOptions): void {
  const expected = reference(...call, options);
  for (const needScores of ['scaled', 'softcapped', 'masked'] as const) {
    const result = scaledDotProductAttention(...call, {
      ...options,
      needScores,
      needWeights: true,
      needLogSumExp: true,
    });
    expectAttention(result, expected, call[2]);
    // A score is one logit; the 32·EPS of WEIGHT_RTOL allow for two.
    expectClose(result.scores, expected[needScores], { rtol: EPS, atol: 16 * EPS });
    if (options.pastKey) {
      expectClose(result.presentKey, expected.presentKey, {});
      expectClose(result.presentValue, expected.presentValue, {});
    }
  }
  expectAttention(scaledDotProductAttention(...call, options), { output: expected.output }, call[2]);
}

describe.each(HEADS)('scaledDotProductAttention does what ONNX Attention does ($name)', ({ H, Hkv }) => {
  const call = inputs(H, Hkv);
  const random = new Random(7 * H + Hkv);
  const maskShapes = [
    [S],
    [1],
    [L, S],
    [1, S],
    [L, 1],
    [H, L, S],
    [1, L, S],
    [H, 1, S],
    [B, H, L, S],
    [B, 1, L, S],
    [1, H, L, S],
    [B, 1, 1, S],
    [B, 1, L, 1],
    [1, 1, 1, 1],
    [S - 2],
    [L, S - 2],
    [1, 2],
    [H, L, 2],
    [B, H, L, S - 1],
    [B, 1, 1, S - 3],
  ];

  test('for plain, scaled, causal and softcapped scores', () => {
    for (const options of [{}, { scale: 0.01 }, { isCausal: true }, { softcap: 2 }, { scale: 1, softcap: 3 }]) {
      check(call, options);
    }
  });

  test.each(maskShapes.map((shape) => [shape]))('for a boolean mask of shape %j', (shape) => {
    check(call, { mask: random.mask(shape) });
    check(call, { mask: random.mask(shape), isCausal: true, softcap: 2 });
  });

  test.each(maskShapes.map((shape) => [shape]))('for a float mask of shape %j, with and without -Infinity', (shape) => {
    const bias = random.tensor(shape);
    check(call, { bias });
    const holed = { data: bias.data.map((x) => (random.next() < 0.3 ? -Infinity : x)), shape };
    check(call, { bias: holed, softcap: 1.5 });
  });

  test('for past keys, causal or not, where query i sees key j if j <= i + past', () => {
    const past = 3;
    const options = {
      pastKey: random.tensor([B, Hkv, past, E]),
      pastValue: random.tensor([B, Hkv, past, Ev]),
    };
    check(call, options);
    check(call, { ...options, isCausal: true });
    check(call, { ...options, isCausal: true, mask: random.mask([L, S + past]) });
    check(call, { ...options, isCausal: true, bias: random.tensor([B, H, L, S + past]), softcap: 2 });
    check(call, { ...options, bias: random.tensor([L, S]) });
  });

  test.each([
    [4, 6],
    [1, 3],
    [0, 2],
    [5, 0],
  ])('for nonpad_kv_seqlen of %i and %i, where offsets may be negative and padding is not read', (first, second) => {
    const lens = [first, second];
    const [query, key, value] = call;
    const poisoned = (x: RandomTensor) => poisonPadding(x, lens, NaN);
    const options = {
      validLens: { data: lens, shape: [B] },
      causalOffset: lens.map((n) => n - L),
      isCausal: true,
    };
    const expected = reference(query, key, value, options);
    const result = scaledDotProductAttention(query, poisoned(key), poisoned(value), {
      ...options,
      needWeights: true,
    });
    expectAttention(result, { output: expected.output, weights: expected.weights }, value);
    check(call, options);
  });

  test('for sliding windows on either side, with and without causality and a past', () => {
    const past = { pastKey: random.tensor([B, Hkv, 5, E]), pastValue: random.tensor([B, Hkv, 5, Ev]) };
    for (const window of [0, 1, 3, 100, [2, 0], [0, 2], [-1, 1], [1, -1], [-1, -1]] as const) {
      check(call, { window });
      check(call, { window, isCausal: true });
      check(call, { window, ...past });
      check(call, { window, isCausal: true, ...past });
      check(call, { window, causalOffset: [-2, 3] });
    }
  });

  test('for two masks that together hide all keys of a query', () => {
    const mask = { data: Array.from({ length: L * S }, (_, at) => at >= S || at % S < 3), shape: [L, S] };
    const bias = {
      data: Float32Array.from({ length: S }, (_, j) => (j < 3 ? -Infinity : 0.5)),
      shape: [S],
    };
    const { output, weights } = scaledDotProductAttention(...call, { mask, bias, needWeights: true });
    for (let head = 0; head < B * H; ++head) {
      expect([...output.data.subarray(head * L * Ev, (head * L + 1) * Ev)]).toEqual(new Array(Ev).fill(0));
      expect([...weights!.data.subarray(head * L * S, (head * L + 1) * S)]).toEqual(new Array(S).fill(0));
      expect(weights!.data[(head * L + 1) * S + 3]).toBeGreaterThan(0);
    }
    check(call, { mask, bias });
  });
});
