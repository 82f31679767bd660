/** Parameters, state dicts and disposal of MultiHeadAttention. */
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

  test('makes another layer equal when it is loaded there', () => {
    const [layer, other] = [make({ seed: 1 }), make({ seed: 2 })];
    expect(other.forward(x, x, x).output).not.toEqual(layer.forward(x, x, x).output);
    other.loadStateDict(layer.stateDict());
    expect(other.stateDict()).toEqual(layer.stateDict());
    expect(other.forward(x, x, x)).toEqual(layer.forward(x, x, x));
  });

  test('returns copies', () => {
    const layer = make();
    const before = layer.stateDict();
    layer.stateDict()['W_q.weight']!.data.fill(9);
    expect(layer.stateDict()).toEqual(before);
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
  const good = () => make({ seed: 2 }).stateDict();
  const without = (name: string) => Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name));
  const packed = { data: new Float32Array(24 * 8), shape: [24, 8] };
  const torch = {
    in_proj_weight: packed,
    in_proj_bias: { data: new Float32Array(24), shape: [24] },
    'out_proj.weight': { data: new Float32Array(64), shape: [8, 8] },
    'out_proj.bias': { data: new Float32Array(8), shape: [8] },
  };
  test.each([
    ['if the last entry is missing', 'RangeError', without('W_o.bias')],
    ['if the first entry is missing', 'RangeError', without('W_q.weight')],
    ['if an entry is unknown', 'RangeError', { ...good(), 'W_x.weight': packed }],
    ['if the last entry has another shape', 'RangeError', { ...good(), 'W_o.bias': packed }],
    ['if an entry has another rank', 'RangeError', { ...good(), 'W_o.weight': { data: packed.data, shape: [192] } }],
    ['if an entry is shorter than its shape', 'RangeError', { ...good(), 'W_o.bias': { data: [1], shape: [8] } }],
    ['if an entry is not a tensor', 'TypeError', { ...good(), 'W_o.bias': 'zeros' }],
    ['if the state is null', 'TypeError', null],
    ['if the state is a string', 'TypeError', 'state'],
    ['if the state is empty', 'RangeError', {}],
    ["if PyTorch's packed weight is missing", 'RangeError', { ...torch, in_proj_weight: undefined }],
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
    const given =
      state !== null && typeof state === 'object'
        ? Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))
        : state;
    expectRejected('MultiHeadAttention', kind, () => layer.loadStateDict(given as never));
    expect(layer.stateDict()).toEqual(before);
    expect(layer.forward(x, x, x)).toEqual(output);
    layer.loadStateDict(torch);
    expect(layer.forward(x, x, x).output.data).toEqual(new Float32Array(48));
  });
});

describe('MultiHeadAttention.parameters', () => {
  test('returns copies, and set changes the layer', () => {
    const layer = make();
    const parameters = layer.parameters();
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(layer.stateDict()));
    const weight = parameters.find(({ name }) => name === 'W_o.weight')!;
    const bias = parameters.find(({ name }) => name === 'W_o.bias')!;
    expect(weight.shape).toEqual([8, 8]);
    layer.forward(x, x, x);
    weight.data.fill(5);
    expect(weight.data).toEqual(layer.stateDict()['W_o.weight']!.data);
    weight.set(new Float32Array(64));
    bias.set([1, 2, 3, 4, 5, 6, 7, 8]);
    const { output } = layer.forward(x, x, x);
    expect([...output.data.subarray(0, 8)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expectRejected('MultiHeadAttention', 'RangeError', () => weight.set([1]));
  });
});

describe('MultiHeadAttention.dispose', () => {
  test('makes every later use throw, and may be called again', () => {
    const layer = make();
    const cache = layer.createCache({ batch: 2, maxLength: 4 });
    const [parameter] = layer.parameters();
    const state = layer.stateDict();
    layer.dispose();
    layer.dispose();
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, x));
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, x, { cache }));
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.stateDict());
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.parameters());
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.loadStateDict(state));
    expectRejected('(MultiHeadAttention|createCache)', 'TypeError', () =>
      layer.createCache({ batch: 1, maxLength: 1 }),
    );
    expectRejected('MultiHeadAttention', 'TypeError', () => parameter!.data);
    expectRejected('MultiHeadAttention', 'TypeError', () => parameter!.set(new Float32Array(64)));
    expect(make().forward(x, x, x).output.shape).toEqual([2, 3, 8]);
  });

  test('is what the end of a `using` block calls', () => {
    const layer = make();
    layer[Symbol.dispose]();
    expectRejected('MultiHeadAttention', 'TypeError', () => layer.forward(x, x, x));
  });
});
