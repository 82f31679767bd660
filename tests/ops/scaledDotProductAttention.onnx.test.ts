/**
 * Cases after ONNX's Attention operator (opsets 23 to 25), in this library's terms: packed heads are cut by a reshape, a boolean
 * attn_mask is `mask`, a float one `bias`, nonpad_kv_seqlen[b] is `validLens` with the offset nonpad_kv_seqlen[b] - L.
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

/** Every kind of head grouping: as many key heads as query heads, grouped, one. */
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

/** The whole result, every score stage included, against the oracle. */
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
    expectClose(result.scores, expected[needScores], { rtol: EPS, atol: 16 * EPS });
    if (options.pastKey) {
      expectClose(result.presentKey, expected.presentKey, {});
      expectClose(result.presentValue, expected.presentValue, {});
    }
  }
  expectAttention(scaledDotProductAttention(...call, options), { output: expected.output }, call[2]);
}

describe.each(HEADS)('ONNX Attention, $name', ({ H, Hkv }) => {
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

  test('plain, scaled, causal and softcapped', () => {
    for (const options of [
      {},
      { scale: 0.01 },
      { isCausal: true },
      { softcap: 2 },
      { scale: 1, softcap: 3 },
    ]) {
      check(call, options);
    }
  });

  test.each(maskShapes.map((shape) => [shape]))('a boolean mask of shape %j', (shape) => {
    check(call, { mask: random.mask(shape) });
    check(call, { mask: random.mask(shape), isCausal: true, softcap: 2 });
  });

  test.each(maskShapes.map((shape) => [shape]))(
    'a float mask of shape %j, with and without -Infinity',
    (shape) => {
      const bias = random.tensor(shape);
      check(call, { bias });
      const holed = { data: bias.data.map((x) => (random.next() < 0.3 ? -Infinity : x)), shape };
      check(call, { bias: holed, softcap: 1.5 });
    },
  );

  test('a past, causal or not: query i sees key j where j <= i + past', () => {
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
  ])(
    'nonpad_kv_seqlen of %i and %i, causal: offsets that may be negative, padding never read',
    (first, second) => {
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
    },
  );

  test('sliding windows on either side, with and without causality and a past', () => {
    const past = { pastKey: random.tensor([B, Hkv, 5, E]), pastValue: random.tensor([B, Hkv, 5, Ev]) };
    for (const window of [0, 1, 3, 100, [2, 0], [0, 2], [-1, 1], [1, -1], [-1, -1]] as const) {
      check(call, { window });
      check(call, { window, isCausal: true });
      check(call, { window, ...past });
      check(call, { window, isCausal: true, ...past });
      check(call, { window, causalOffset: [-2, 3] });
    }
  });

  test('a row masked by two masks together is zero, its neighbours are not', () => {
    const mask = { data: Array.from({ length: L * S }, (_, at) => at >= S || at % S < 3), shape: [L, S] };
    const bias = { data: Float32Array.from({ length: S }, (_, j) => (j < 3 ? -Infinity : 0.5)), shape: [S] };
    const { output, weights } = scaledDotProductAttention(...call, { mask, bias, needWeights: true });
    for (let head = 0; head < B * H; ++head) {
      expect([...output.data.subarray(head * L * Ev, (head * L + 1) * Ev)]).toEqual(new Array(Ev).fill(0));
      expect([...weights!.data.subarray(head * L * S, (head * L + 1) * S)]).toEqual(new Array(S).fill(0));
      expect(weights!.data[(head * L + 1) * S + 3]).toBeGreaterThan(0);
    }
    check(call, { mask, bias });
  });
});
