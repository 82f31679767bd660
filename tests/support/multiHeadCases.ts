/**
 * The multi-head cases of the fixtures, as calls of the library. PyTorch's packed parameters and inverted masks are
 * translated here.
 */
import type { AttentionReferenceOptions } from '../reference/scaledDotProductAttention.js';
import type { Numbers } from './close.js';
import { loadFixtures, type Fixture, type FixtureOutput } from './fixtures.js';

export interface MultiHeadCase {
  readonly name: string;
  readonly fixture: Fixture;
  readonly inputs: [queries: Numbers, keys: Numbers, values: Numbers];
  readonly numHiddens: number;
  readonly numHeads: number;
  readonly bias: boolean;
  readonly sizes: { querySize: number; keySize: number; valueSize: number };
  /** The parameters under the fixture's names. */
  readonly state: Readonly<Record<string, Numbers>>;
  /** The parameters under d2l's names. */
  readonly d2lState: Readonly<Record<string, Numbers>>;
  readonly options: AttentionReferenceOptions;
  readonly expected: {
    output: FixtureOutput;
    weights: FixtureOutput;
    /** Averages weights over the heads. Present if the fixture's weights are averaged. */
    averaged?: (weights: Numbers) => Numbers;
  };
}

export function multiHeadCases(): MultiHeadCase[] {
  return [...loadFixtures('d2l_mha').map(d2lMultiHead), ...loadFixtures('torch_mha').map(torchMultiHead)];
}

function d2lMultiHead(fixture: Fixture): MultiHeadCase {
  const { num_hiddens, num_heads } = fixture.attributes as { num_hiddens: number; num_heads: number };
  const inputs = (['queries', 'keys', 'values'] as const).map((name) =>
    fixture.input(fixture.has('x') ? 'x' : name),
  ) as unknown as MultiHeadCase['inputs'];
  const names = ['W_q', 'W_k', 'W_v', 'W_o'].flatMap((name) => [`${name}.weight`, `${name}.bias`]);
  const state = pick(fixture, names);
  const validLens = fixture.has('valid_lens') ? fixture.input('valid_lens') : undefined;
  return {
    name: fixture.name,
    fixture,
    inputs,
    numHiddens: num_hiddens,
    numHeads: num_heads,
    bias: 'W_q.bias' in state,
    sizes: sizesOf(inputs),
    state,
    d2lState: state,
    options: validLens ? { validLens } : {},
    expected: d2lExpected(fixture, validLens),
  };
}

/**
 * For a query of length 0 d2l averages the padding; the library gives zeros. (These layers have no bias that would be
 * added.)
 */
function d2lExpected(fixture: Fixture, validLens: Numbers | undefined): MultiHeadCase['expected'] {
  const output = fixture.output('output');
  const weights = fixture.output('attention_weights');
  if (!validLens) return { output, weights };
  const [B, H, L, S] = weights.shape as [number, number, number, number];
  const D = output.shape[2]!;
  for (let b = 0; b < B; ++b) {
    for (let i = 0; i < L; ++i) {
      if (validLens.data[validLens.shape.length === 2 ? b * L + i : b] !== 0) continue;
      output.data.fill(0, (b * L + i) * D, (b * L + i + 1) * D);
      for (let h = 0; h < H; ++h) {
        const row = (b * H + h) * L + i;
        weights.data.fill(0, row * S, (row + 1) * S);
      }
    }
  }
  return { output, weights };
}

function torchMultiHead(fixture: Fixture): MultiHeadCase {
  const attributes = fixture.attributes as {
    embed_dim: number;
    num_heads: number;
    bias: boolean;
    batch_first: boolean;
    average_attn_weights: boolean;
  };
  const inputs = (['query', 'key', 'value'] as const).map((name) => {
    const input = fixture.input(fixture.has('x') ? 'x' : name);
    return attributes.batch_first ? input : swapFirstAxes(input);
  }) as unknown as MultiHeadCase['inputs'];
  const state = pick(fixture, [
    'in_proj_weight',
    'q_proj_weight',
    'k_proj_weight',
    'v_proj_weight',
    'in_proj_bias',
    'out_proj.weight',
    'out_proj.bias',
  ]);
  const output = fixture.output('output');
  return {
    name: fixture.name,
    fixture,
    inputs,
    numHiddens: attributes.embed_dim,
    numHeads: attributes.num_heads,
    bias: attributes.bias,
    sizes: sizesOf(inputs),
    state,
    d2lState: d2lNames(state, attributes.embed_dim),
    options: torchMasks(fixture),
    expected: {
      output: attributes.batch_first ? output : { ...output, ...swapFirstAxes(output) },
      weights: fixture.output('attn_weights'),
      ...(attributes.average_attn_weights && { averaged: meanOverHeads }),
    },
  };
}

/**
 * nn.MultiheadAttention's boolean masks are true where a query may not attend; its float masks are added to the scores.
 */
function torchMasks(fixture: Fixture): AttentionReferenceOptions {
  const options: AttentionReferenceOptions = {};
  if (fixture.has('key_padding_mask')) {
    const { data, shape } = fixture.input('key_padding_mask');
    const [B, S] = shape as [number, number];
    options.mask = { data: Array.from(data, (padding) => padding === 0), shape: [B, 1, 1, S] };
  }
  if (fixture.has('attn_mask')) {
    const { data, shape, dtype } = fixture.input('attn_mask');
    if (dtype === 'bool') options.mask = { data: Array.from(data, (masked) => masked === 0), shape };
    else options.bias = { data, shape };
  }
  return options;
}

/** PyTorch's packed projections, split and renamed to d2l's four. */
export function d2lNames(state: Readonly<Record<string, Numbers>>, D: number): Record<string, Numbers> {
  const cut = ({ data, shape }: Numbers, part: number): Numbers => {
    const size = data.length / 3;
    return { data: Array.from(data).slice(part * size, (part + 1) * size), shape: [D, ...shape.slice(1)] };
  };
  const named: Record<string, Numbers> = {};
  ['W_q', 'W_k', 'W_v'].forEach((name, part) => {
    const separate = state[`${name.slice(2)}_proj_weight`];
    named[`${name}.weight`] = separate ?? cut(state.in_proj_weight!, part);
    if (state.in_proj_bias) named[`${name}.bias`] = cut(state.in_proj_bias, part);
  });
  named['W_o.weight'] = state['out_proj.weight']!;
  if (state['out_proj.bias']) named['W_o.bias'] = state['out_proj.bias'];
  return named;
}

function sizesOf(inputs: MultiHeadCase['inputs']): MultiHeadCase['sizes'] {
  const [querySize, keySize, valueSize] = inputs.map(({ shape }) => shape[2]!) as [number, number, number];
  return { querySize, keySize, valueSize };
}

function pick(fixture: Fixture, names: readonly string[]): Record<string, Numbers> {
  return Object.fromEntries(names.filter((name) => fixture.has(name)).map((name) => [name, fixture.input(name)]));
}

export function swapFirstAxes<T extends Float32Array | Float64Array | Int32Array>({
  data,
  shape,
}: {
  data: T;
  shape: readonly number[];
}): { data: T; shape: readonly number[] } {
  const [rows, columns, width] = shape as [number, number, number];
  const swapped = data.slice() as T;
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      swapped.set(data.subarray((i * columns + j) * width, (i * columns + j + 1) * width), (j * rows + i) * width);
    }
  }
  return { data: swapped, shape: [columns, rows, width] };
}

function meanOverHeads({ data, shape }: Numbers): Numbers {
  const [B, H, L, S] = shape as [number, number, number, number];
  const mean = new Float64Array(B * L * S);
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let at = 0; at < L * S; ++at) {
        mean[b * L * S + at] = mean[b * L * S + at]! + data[(b * H + h) * L * S + at]! / H;
      }
    }
  }
  return { data: mean, shape: [B, L, S] };
}
