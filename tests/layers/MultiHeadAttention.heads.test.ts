/**
 * The heads of a layer: their width, norms of queries and keys, and biases of some projections. long/ compares with
 * float64.
 */
import { describe, expect, test } from '@jest/globals';
import type { MultiHeadAttentionOptions } from 'wasm-attention';
import { expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { gradientsOf } from '../support/gradientsOf.js';
import { attention } from '../support/library.js';
import { outputTolerance } from '../support/multiHeadTolerance.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';

const NAME = 'MultiHeadAttention';
const random = new Random(1);
const [q, k, v] = [random.tensor([2, 4, 12]), random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];

/** A layer whose norms have weights other than 1. */
function make(options: Partial<MultiHeadAttentionOptions>) {
  const layer = new attention.MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 3, ...options });
  for (const parameter of layer.parameters()) {
    if (parameter.name.includes('norm')) parameter.set(random.tensor(parameter.shape).data);
  }
  return layer;
}

test.each(loadFixtures('modern', /^qk_norm/))(`${NAME} agrees with the formula on $name`, (fixture) => {
  const { num_hiddens, num_heads, num_kv_heads, head_dim, eps, rotary, causal } = fixture.attributes as Record<
    string,
    number
  >;
  const layer = new attention.MultiHeadAttention({
    numHiddens: num_hiddens!,
    numHeads: num_heads!,
    numKvHeads: num_kv_heads!,
    headDim: head_dim!,
    qkNorm: { eps: eps! },
    ...(rotary && { rotary: {} }),
  });
  const names = Object.keys(layer.stateDict());
  layer.loadStateDict(Object.fromEntries(names.map((name) => [name, fixture.input(name)])));
  const x = fixture.input('x');
  const options = { isCausal: Boolean(causal), needWeights: true, training: true };
  const { output, weights, backward } = layer.forward(x, x, x, options);
  expectFixture(output, fixture.output('output'));
  expectFixture(weights, fixture.output('weights'));
  const { queries, keys, values } = backward!(fixture.input('G'));
  const sum = queries.data.map((value, i) => value + keys.data[i]! + values.data[i]!);
  expectFixture({ data: sum, shape: queries.shape }, fixture.output('grad:x'));
  const found = gradientsOf(layer);
  for (const name of names) expectFixture(found[name], fixture.output(`grad:${name}`));
});

describe(`${NAME} with heads of another width`, () => {
  test.each([{ headDim: 5 }, { headDim: 6, qkNorm: true, rotary: {}, numKvHeads: 1 }])(
    'gives with a cache, and with past keys, what the whole sequence gives: %j',
    (options) => {
      const layer = make(options);
      const full = layer.forward(k, k, k, { isCausal: true }).output;
      const { headDim, numKvHeads = 3 } = options as { headDim: number; numKvHeads?: number };
      const cache = layer.createCache({ batch: 2, maxLength: 5 });
      const none = { data: new Float32Array(0), shape: [2, numKvHeads, 0, headDim] };
      let past: object = { pastKey: none, pastValue: none };
      for (const [from, to] of [
        [0, 3],
        [3, 4],
        [4, 5],
      ] as const) {
        const piece = tokens(k, from, to);
        const expected = tokens(full, from, to);
        const cached = layer.forward(piece, piece, piece, { isCausal: true, cache });
        expectClose(cached.output, expected, outputTolerance(expected));
        const result = layer.forward(piece, piece, piece, { isCausal: true, ...past });
        expectClose(result.output, expected, outputTolerance(expected));
        expect(result.presentKey!.shape).toEqual([2, numKvHeads, to, headDim]);
        past = { pastKey: result.presentKey, pastValue: result.presentValue };
      }
      cache.dispose();
    },
  );

  test("takes PyTorch's names for joined projections", () => {
    const state = make({ bias: true }).stateDict();
    const joined = (part: string) => ({
      data: ['W_q', 'W_k', 'W_v'].flatMap((name) => [...state[`${name}.${part}`]!.data]),
      shape: part === 'bias' ? [36] : [36, 12],
    });
    const layer = make({ bias: { query: true, key: true, value: true } });
    layer.loadStateDict({
      in_proj_weight: joined('weight'),
      in_proj_bias: joined('bias'),
      'out_proj.weight': state['W_o.weight']!,
    });
    expect(layer.stateDict()['W_k.bias']).toEqual(state['W_k.bias']);
  });
});

const layer = make({ qkNorm: true });
const wrong = (options: object) => () => make(options);
const rows: Rejection[] = [
  ['headDim 0', 'RangeError', wrong({ headDim: 0 })],
  ['a fractional headDim', 'RangeError', wrong({ headDim: 1.5 })],
  ['headDim that is a string', 'TypeError', wrong({ headDim: '4' })],
  ['heads that are too wide together', 'RangeError', wrong({ headDim: 2 ** 23 })],
  ['rotary heads of an odd width', 'RangeError', wrong({ headDim: 5, rotary: {} })],
  ['qkNorm that is a number', 'TypeError', wrong({ qkNorm: 1 })],
  ['an unknown option of qkNorm', 'TypeError', wrong({ qkNorm: { epsilon: 1 } })],
  ['a negative eps', 'RangeError', wrong({ qkNorm: { eps: -1 } })],
  ['an infinite eps', 'RangeError', wrong({ qkNorm: { eps: Infinity } })],
  ['a bias of an unknown projection', 'TypeError', wrong({ bias: { keys: true } })],
  ['a bias that is a number', 'TypeError', wrong({ bias: { key: 1 } })],
  ['a state without norms', 'RangeError', () => layer.loadStateDict(make({}).stateDict())],
];
testRejections(NAME, rows, () => expect(layer.forward(q, k, v).output.shape).toEqual([2, 4, 12]));
