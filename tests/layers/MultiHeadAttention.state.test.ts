/** The state dicts of MultiHeadAttention, also under PyTorch's names; contract.test.ts has what all layers do. */
import { describe, expect, test } from '@jest/globals';
import { attention } from '../support/library.js';
import { multiHeadCases } from '../support/multiHeadCases.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';

const make = (options: object = {}) =>
  new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2, bias: true, seed: 1, ...options });
const x = new Random(1).tensor([2, 3, 8]);

describe('MultiHeadAttention.stateDict', () => {
  test("has d2l's names and PyTorch's shapes", () => {
    const shapes = Object.fromEntries(
      Object.entries(make({ keySize: 5, valueSize: 6 }).stateDict()).map(([name, { shape }]) => [name, shape]),
    );
    expect(shapes).toEqual({
      'W_q.weight': [8, 8],
      'W_q.bias': [8],
      'W_k.weight': [8, 5],
      'W_k.bias': [8],
      'W_v.weight': [8, 6],
      'W_v.bias': [8],
      'W_o.weight': [8, 8],
      'W_o.bias': [8],
    });
    expect(Object.keys(make({ bias: false }).stateDict())).toEqual([
      'W_q.weight',
      'W_k.weight',
      'W_v.weight',
      'W_o.weight',
    ]);
  });

  test.each(multiHeadCases().filter(({ state }) => 'out_proj.weight' in state))(
    "has the same parameters after loading torch.nn.MultiheadAttention's: $name",
    ({ numHiddens, numHeads, bias, sizes, state, d2lState }) => {
      const layer = new attention.MultiHeadAttention({ numHiddens, numHeads, bias, ...sizes });
      layer.loadStateDict(state);
      for (const [name, { data, shape }] of Object.entries(layer.stateDict())) {
        expect([...data]).toEqual(Array.from(d2lState[name]!.data));
        expect(shape).toEqual(d2lState[name]!.shape);
      }
    },
  );
});

describe('MultiHeadAttention.loadStateDict fails and changes nothing', () => {
  const packed = { data: new Float32Array(24 * 8), shape: [24, 8] };
  const torch = {
    in_proj_weight: packed,
    in_proj_bias: { data: new Float32Array(24), shape: [24] },
    'out_proj.weight': { data: new Float32Array(64), shape: [8, 8] },
    'out_proj.bias': { data: new Float32Array(8), shape: [8] },
  };
  const { in_proj_weight: _, ...unpacked } = torch;
  test.each([
    ["if PyTorch's packed weight is missing", 'RangeError', unpacked],
    [
      "if PyTorch's packed weight has other rows",
      'RangeError',
      { ...torch, in_proj_weight: { ...packed, shape: [8, 24] } },
    ],
    ["if PyTorch's packed bias has other rows", 'RangeError', { ...torch, in_proj_bias: torch['out_proj.bias'] }],
  ] as const)('%s', (_mistake, kind, state) => {
    const layer = make();
    const before = layer.stateDict();
    const output = layer.forward(x, x, x);
    expectRejected('MultiHeadAttention', kind, () => layer.loadStateDict(state));
    expect(layer.stateDict()).toEqual(before);
    expect(layer.forward(x, x, x)).toEqual(output);
    layer.loadStateDict(torch);
    expect(layer.forward(x, x, x).output.data).toEqual(new Float32Array(48));
  });
});

test('a disposed MultiHeadAttention neither takes nor makes a cache', () => {
  const layer = make();
  const cache = layer.createCache({ batch: 2, maxLength: 4 });
  layer.dispose();
  expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, x, { cache }));
  expectRejected('(MultiHeadAttention|createCache)', 'TypeError', () => layer.createCache({ batch: 1, maxLength: 1 }));
});
