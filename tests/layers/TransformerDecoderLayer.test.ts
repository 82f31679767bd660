/**
 * The decoder layer against PyTorch, and in long/ against float64: both passes, caches, dropout, rejections.
 */
import { describe, expect, test } from '@jest/globals';
import type { TransformerDecoderLayerOptions } from 'wasm-attention';
import { BLOCK_ATOL, decoderOf } from '../support/blockCases.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot } from '../support/differences.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { gradientsOf } from '../support/gradientsOf.js';
import { attention } from '../support/library.js';
import { Random, type RandomTensor } from '../support/random.js';
import { expectRejected, testRejections, type Rejection } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';

const NAME = 'TransformerDecoderLayer';
const random = new Random(1);
const [x, memory, g] = [random.tensor([2, 5, 8]), random.tensor([2, 3, 8]), random.tensor([2, 5, 8])];
const make = (options: Partial<TransformerDecoderLayerOptions> = {}) => decoderOf(random, options);

describe(`${NAME} agrees with PyTorch`, () => {
  test.each(loadFixtures('modern', /^decoder/))('on $name', (fixture) => {
    const { d_model, nhead, dim_feedforward, norm_first, activation, causal, memory_lens } = fixture.attributes as {
      d_model: number;
      nhead: number;
      dim_feedforward: number;
      norm_first: boolean;
      activation: 'relu' | 'gelu';
      causal: boolean;
      memory_lens: number[] | null;
    };
    const layer = new attention.TransformerDecoderLayer({
      numHiddens: d_model,
      numHeads: nhead,
      ffnHiddens: dim_feedforward,
      norm: norm_first ? 'pre' : 'post',
      activation,
    });
    const names = Object.keys(layer.stateDict());
    layer.loadStateDict(Object.fromEntries(names.map((name) => [name, fixture.input(name)])));
    const options = {
      isCausal: causal,
      training: true,
      cross: memory_lens ? { validLens: memory_lens } : {},
    };
    const { output, backward } = layer.forward(fixture.input('x'), fixture.input('memory'), options);
    expectFixture(output, fixture.output('output'));
    const { input, memory } = backward!(fixture.input('G'));
    expectFixture(input, fixture.output('grad:x'));
    expectFixture(memory, fixture.output('grad:memory'));
    const found = gradientsOf(layer);
    for (const name of names) expectFixture(found[name], fixture.output(`grad:${name}`));
  });
});

describe(NAME, () => {
  test("has PyTorch's names", () => {
    const attentionNames = ['in_proj_weight', 'in_proj_bias', 'out_proj.weight', 'out_proj.bias'];
    expect(Object.keys(make().stateDict())).toEqual([
      ...attentionNames.map((name) => `self_attn.${name}`),
      ...attentionNames.map((name) => `multihead_attn.${name}`),
      ...['linear1', 'linear2', 'norm1', 'norm2', 'norm3'].flatMap((name) => [`${name}.weight`, `${name}.bias`]),
    ]);
  });

  test.each(['pre', 'post'] as const)('gives the same with a cache as for the whole sequence, %s-norm', (norm) => {
    const layer = make({ norm, rotary: {} });
    const full = layer.forward(x, memory, { isCausal: true }).output;
    const cache = layer.createCache({ batch: 2, maxLength: 5 });
    // After the first call the memory's numbers are not read.
    const unread = { data: new Float32Array(memory.data.length).fill(NaN), shape: memory.shape };
    const step = (from: number, to: number, over: RandomTensor = unread) => {
      const options = { isCausal: true, cache, cross: { needWeights: true } };
      const { output, crossWeights } = layer.forward(tokens(x, from, to), over, options);
      expectClose(output, tokens(full, from, to), { atol: BLOCK_ATOL });
      expect(crossWeights!.shape).toEqual([2, 2, to - from, 3]);
    };
    step(0, 2, memory);
    step(2, 3);
    step(3, 5);
    cache.truncate(3);
    step(3, 5);
    expectRejected(NAME, 'RangeError', () => layer.forward(tokens(x, 4, 5), tokens(memory, 0, 2), { cache }));
    // A longer memory after a reset.
    cache.reset();
    const longer = random.tensor([2, 7, 8]);
    const other = layer.forward(x, longer, { isCausal: true }).output;
    expectClose(layer.forward(x, longer, { isCausal: true, cache }).output, other, { atol: BLOCK_ATOL });
    cache.dispose();
    expectRejected(NAME, 'TypeError', () => layer.forward(x, memory, { cache }));
  });

  test('reorders the memory of a cache together with its tokens', () => {
    const layer = make();
    const swapped = ({ data, shape }: RandomTensor): RandomTensor => ({
      data: Float32Array.from([...data.slice(data.length / 2), ...data.slice(0, data.length / 2)]),
      shape,
    });
    const cache = layer.createCache({ batch: 2, maxLength: 5 });
    layer.forward(tokens(x, 0, 3), memory, { isCausal: true, cache });
    cache.reorder([1, 0]);
    const { output } = layer.forward(tokens(swapped(x), 3, 5), memory, { isCausal: true, cache });
    const full = layer.forward(swapped(x), swapped(memory), { isCausal: true }).output;
    expectClose(output, tokens(full, 3, 5), { atol: BLOCK_ATOL });
    cache.dispose();
  });

  test('returns gradients of the options of both attentions', () => {
    const layer = make();
    const [bias, crossBias] = [random.tensor([5, 5]), random.tensor([2, 5, 3])];
    const run = (by: number) => {
      const moved = { data: crossBias.data.map((value) => value + by), shape: crossBias.shape };
      return layer.forward(x, memory, { bias, cross: { bias: moved, sinks: [1, 2] }, training: true });
    };
    const result = run(0).backward!(g);
    expect(Object.keys(result).sort()).toEqual(['bias', 'cross', 'input', 'memory']);
    expect(Object.keys(result.cross!).sort()).toEqual(['bias', 'sinks']);
    const loss = (by: number) => dot(run(by).output.data, g.data);
    const slope = (loss(0.03) - loss(-0.03)) / 0.06;
    // Off by third derivatives, below 0.1, times step² = 1e-3, and by roundings (1e-7) of 80 outputs over 6e-2.
    expect(Math.abs(slope - dot(result.cross!.bias!.data, new Float32Array(30).fill(1)))).toBeLessThan(5e-4);
  });

  test('drops different elements in each training pass, and the same ones for the same seed', () => {
    const layer = make({ dropout: 0.5 });
    const run = (options: object) => layer.forward(x, memory, { training: true, ...options }).output;
    expect(run({})).not.toEqual(run({}));
    expect(run({ seed: 4 })).toEqual(run({ seed: 4 }));
    expect(run({ dropout: 0 })).toEqual(layer.forward(x, memory).output);
  });

  test('has a gradient with dropout that agrees with differences', () => {
    const layer = make({ dropout: 0.4, norm: 'pre', activation: 'gelu' });
    const direction = random.tensor([2, 3, 8]);
    const run = (by: number) => {
      const data = memory.data.map((value, i) => value + by * direction.data[i]!);
      return layer.forward(x, { data, shape: memory.shape }, { training: true, seed: 7 });
    };
    const slope = (dot(run(1e-2).output.data, g.data) - dot(run(-1e-2).output.data, g.data)) / 2e-2;
    const { memory: found } = run(0).backward!(g);
    // The differences of float32 results are off by third derivatives times step² = 1e-4, and by roundings of 80
    // outputs over 1e-2.
    expect(Math.abs(slope - dot(found.data, direction.data))).toBeLessThan(5e-3 * (1 + Math.abs(slope)));
  });

  test('accepts batches of many and of long sequences', () => {
    for (const [batch, length, count] of [
      [40, 9, 30],
      [2, 20, 300],
    ] as const) {
      const layer = make();
      const [long, over, grad] = [
        random.tensor([batch, length, 8]),
        random.tensor([batch, count, 8]),
        random.tensor([batch, length, 8]),
      ];
      const { output, backward } = layer.forward(long, over, { training: true });
      const result = backward!(grad);
      const last = (tensor: typeof long) => {
        const size = tensor.data.length / batch;
        return {
          data: Float32Array.from(tensor.data).slice((batch - 1) * size),
          shape: [1, ...tensor.shape.slice(1)],
        };
      };
      const alone = layer.forward(last(long), last(over), { training: true });
      // The same sums, in tiles that begin elsewhere.
      const same = (a: typeof long, b: typeof long) =>
        expectClose(last(a), b, { atol: 64 * EPS * Math.max(1, maxAbs(b.data)) });
      same(output, alone.output);
      const own = alone.backward!(last(grad));
      same(result.input, own.input);
      same(result.memory, own.memory);
    }
  });
});

const layer = make();
const forward = (options: object) => () => layer.forward(x, memory, options);
const rows: Rejection[] = [
  ['no ffnHiddens', 'TypeError', () => make({ ffnHiddens: undefined as never })],
  ['biases of some projections', 'TypeError', () => make({ bias: { query: true } as never })],
  ["an encoder's option", 'TypeError', () => make({ qkNorm: true } as never)],
  ['another norm', 'RangeError', () => make({ norm: 'both' as never })],
  ['no memory', 'TypeError', () => layer.forward(x, undefined as never)],
  ['a memory of another width', 'RangeError', () => layer.forward(x, random.tensor([2, 3, 7]))],
  ['a memory of another batch', 'RangeError', () => layer.forward(x, random.tensor([1, 3, 8]))],
  ['a memory of rank 2', 'RangeError', () => layer.forward(x, random.tensor([3, 8]))],
  ['lengths beyond the batch', 'RangeError', forward({ cross: { validLens: [1, 2, 3] } })],
  ['a mask of another length over the memory', 'RangeError', forward({ cross: { bias: random.tensor([5, 5]) } })],
  ['cross that is an array', 'TypeError', forward({ cross: [] })],
  ['an unknown option of cross', 'TypeError', forward({ cross: { training: true } })],
  ['a past of cross', 'RangeError', forward({ cross: { pastKey: x, pastValue: x } })],
  ['a past', 'RangeError', forward({ pastKey: x, pastValue: x })],
];
testRejections(NAME, rows, () => expect(layer.forward(x, memory).output.shape).toEqual([2, 5, 8]));
