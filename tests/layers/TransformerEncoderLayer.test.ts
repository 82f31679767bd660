import { describe, expect, test } from '@jest/globals';
import type { TensorLike, TransformerEncoderLayerOptions } from 'wasm-attention';
import { maxAbs } from '../support/close.js';
import { dot } from '../support/differences.js';
import { expectFixture, loadFixtures, type Fixture } from '../support/fixtures.js';
import { gradientsOf } from '../support/gradientsOf.js';
import { expectLayerFixture } from '../support/layerFixture.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const NAME = 'TransformerEncoderLayer';
const random = new Random(1);
const [x, g] = [random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];
const make = (options: Partial<TransformerEncoderLayerOptions> = {}) =>
  new attention.TransformerEncoderLayer({ numHiddens: 12, numHeads: 3, ffnHiddens: 20, seed: 3, ...options });

type Layer = ReturnType<typeof make>;
const train = (layer: Layer, options: object = {}) => layer.forward(x, { training: true, ...options });

describe(`${NAME} agrees with PyTorch`, () => {
  test.each(loadFixtures('layers', /^encoder_layer/))('on $name', (fixture) => {
    const { d_model, nhead, dim_feedforward, activation, norm_first } = fixture.attributes as {
      d_model: number;
      nhead: number;
      dim_feedforward: number;
      activation: 'relu' | 'gelu';
      norm_first: boolean;
    };
    const layer = make({
      numHiddens: d_model,
      numHeads: nhead,
      ffnHiddens: dim_feedforward,
      activation,
      norm: norm_first ? 'pre' : 'post',
    });
    expectLayerFixture(layer, fixture, padding(fixture));
  });

  /** PyTorch's mask is true where a token is padding. */
  function padding(fixture: Fixture) {
    if (!fixture.has('src_key_padding_mask')) return {};
    const { data, shape } = fixture.input('src_key_padding_mask');
    return {
      mask: { data: Array.from(data, (pad) => pad === 0), shape: [shape[0]!, 1, 1, shape[1]!] },
    };
  }
});

describe(`${NAME} agrees with d2l's block`, () => {
  const D2L: Record<string, string> = {
    'self_attn.out_proj.weight': 'attention.W_o.weight',
    'linear1.weight': 'ffn.dense1.weight',
    'linear1.bias': 'ffn.dense1.bias',
    'linear2.weight': 'ffn.dense2.weight',
    'linear2.bias': 'ffn.dense2.bias',
    'norm1.weight': 'addnorm1.ln.weight',
    'norm1.bias': 'addnorm1.ln.bias',
    'norm2.weight': 'addnorm2.ln.weight',
    'norm2.bias': 'addnorm2.ln.bias',
  };
  const PROJECTIONS = ['q', 'k', 'v'].map((part) => `attention.W_${part}.weight`);

  test.each(loadFixtures('layers', /^d2l_encoder_block/))('on $name', (fixture) => {
    const { num_hiddens, num_heads, ffn_num_hiddens } = fixture.attributes as Record<string, number>;
    const layer = make({ numHiddens: num_hiddens!, numHeads: num_heads!, ffnHiddens: ffn_num_hiddens! });
    // d2l's attention has no biases, so they are 0 here.
    const state = Object.fromEntries(
      Object.entries(layer.stateDict()).map(([name, { data, shape }]): [string, TensorLike] => {
        if (D2L[name]) return [name, fixture.input(D2L[name])];
        if (!name.endsWith('weight')) return [name, { data: new Float32Array(data.length), shape }];
        return [name, { data: PROJECTIONS.flatMap((part) => [...fixture.input(part).data]), shape }];
      }),
    );
    layer.loadStateDict(state);
    const options = { validLens: fixture.input('valid_lens'), needWeights: true, training: true };
    const { output, weights, backward } = layer.forward(fixture.input('x'), options);
    expectFixture(output, fixture.output('output'));
    expectFixture(weights, fixture.output('attention_weights'));
    expectFixture(backward!(fixture.input('G')).input, fixture.output('grad:x'));
    const found = gradientsOf(layer);
    for (const [name, d2l] of Object.entries(D2L)) {
      expectFixture(found[name], fixture.output(`grad:${d2l}`));
    }
    PROJECTIONS.forEach((name, i) => {
      const expected = fixture.output(`grad:${name}`);
      const size = expected.data.length;
      const data = Array.from(found['self_attn.in_proj_weight']!.data).slice(i * size, (i + 1) * size);
      expectFixture({ data, shape: expected.shape }, expected);
    });
  });
});

describe(NAME, () => {
  test('learns with Adam', () => {
    const layer = make();
    const adam = new attention.Adam(layer.parameters(), { lr: 0.01 });
    const losses = Array.from({ length: 30 }, () => {
      const { output, backward } = train(layer);
      adam.zeroGrad();
      const difference = output.data.map((value, i) => value - g.data[i]! / 2);
      backward!({ data: difference, shape: output.shape });
      adam.step();
      return dot(difference, difference);
    });
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 2);
  });

  test('returns gradients of relative tables', () => {
    const relativeKeys = random.tensor([5, 4]);
    const result = train(make(), { relativeKeys }).backward!(g);
    expect(result.relativeKeys!.shape).toEqual([5, 4]);
    expect(Object.keys(result).sort()).toEqual(['input', 'relativeKeys']);
  });

  test("has PyTorch's names", () => {
    const layer = make();
    const before = layer.stateDict();
    expect(Object.keys(before)).toEqual([
      'self_attn.in_proj_weight',
      'self_attn.in_proj_bias',
      'self_attn.out_proj.weight',
      'self_attn.out_proj.bias',
      'linear1.weight',
      'linear1.bias',
      'linear2.weight',
      'linear2.bias',
      'norm1.weight',
      'norm1.bias',
      'norm2.weight',
      'norm2.bias',
    ]);
    expect(layer.parameters().map(({ name }) => name)).toEqual(Object.keys(before));
  });

  test('starts like PyTorch with a Xavier-uniform packed projection and zero biases of attention', () => {
    const layer = make({ numHiddens: 60 });
    const state = layer.stateDict();
    const largest = maxAbs(state['self_attn.in_proj_weight']!.data);
    const bound = Math.sqrt(6 / (60 + 180));
    expect(largest).toBeLessThanOrEqual(bound);
    expect(largest).toBeGreaterThan(0.99 * bound);
    for (const name of ['self_attn.in_proj_bias', 'self_attn.out_proj.bias']) {
      expect(maxAbs(state[name]!.data)).toBe(0);
    }
  });

  const layer = make();
  const rows: Rejection[] = [
    ['no options', 'TypeError', () => new attention.TransformerEncoderLayer(undefined as never)],
    ['no ffnHiddens', 'TypeError', () => make({ ffnHiddens: undefined as never })],
    ['heads that do not divide the width', 'RangeError', () => make({ numHeads: 5 })],
    ['bias that is not a boolean', 'TypeError', () => make({ bias: 1 as never })],
    ['another activation', 'RangeError', () => make({ activation: 'tanh' as never })],
    ['another norm', 'RangeError', () => make({ norm: 'both' as never })],
    ['dropout 1', 'RangeError', () => make({ dropout: 1 })],
    ['x of another width', 'RangeError', () => layer.forward(random.tensor([2, 5, 11]))],
    ['x of rank 2', 'RangeError', () => layer.forward(random.tensor([5, 12]))],
    ['a past', 'RangeError', () => layer.forward(x, { pastKey: x, pastValue: x } as never)],
  ];
  testRejections(NAME, rows, () => expect(layer.forward(x).output.shape).toEqual([2, 5, 12]));
});
