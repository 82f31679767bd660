/** The attention cases of the fixtures, as calls of the library. */
import type { AttentionReferenceOptions } from '../reference/scaledDotProductAttention.js';
import type { Numbers } from './close.js';
import { loadFixtures, type Fixture, type FixtureOutput } from './fixtures.js';

export interface AttentionCase {
  readonly name: string;
  readonly query: Numbers;
  readonly key: Numbers;
  readonly value: Numbers;
  readonly options: AttentionReferenceOptions;
  readonly expected: { output: FixtureOutput; weights?: FixtureOutput; logSumExp?: FixtureOutput };
}

/** The cases of the folders sdpa, d2l_attention and nasty. `positionalCases` has those of the folder positional. */
export function attentionCases(): AttentionCase[] {
  return [
    ...loadFixtures('sdpa').map(sdpaCase),
    ...loadFixtures('d2l_attention', /^dot_product/).map(d2lCase),
    ...loadFixtures('nasty', /^attention/).map(sdpaCase),
    ...loadFixtures('nasty', /^padding/).map(d2lCase),
  ];
}

function sdpaCase(fixture: Fixture): AttentionCase {
  const { causal, causal_offset } = fixture.attributes as { causal: boolean; causal_offset: number };
  const options: AttentionReferenceOptions = {};
  if (causal) options.isCausal = true;
  if (causal_offset !== 0) options.causalOffset = causal_offset;
  if (fixture.has('valid_lens')) options.validLens = fixture.input('valid_lens');
  if (fixture.has('mask')) options.mask = fixture.input('mask');
  if (fixture.has('attn_bias')) options.bias = fixture.input('attn_bias');
  return {
    name: fixture.name,
    query: fixture.input('Q'),
    key: fixture.input('K'),
    value: fixture.input('V'),
    options,
    expected: {
      output: emptyRowsAsZeros(fixture.output('output')),
      ...(fixture.has('attention_weights') && {
        weights: emptyRowsAsZeros(fixture.output('attention_weights')),
      }),
      ...(fixture.has('logsumexp') && { logSumExp: fixture.output('logsumexp') }),
    },
  };
}

function d2lCase(fixture: Fixture): AttentionCase {
  return {
    name: fixture.name,
    query: fixture.input('queries'),
    key: fixture.input('keys'),
    value: fixture.input('values'),
    options: fixture.has('valid_lens') ? { validLens: fixture.input('valid_lens') } : {},
    expected: { output: fixture.output('output'), weights: fixture.output('attention_weights') },
  };
}

/** For a query that may attend to nothing, PyTorch returns NaN and this library zeros. */
function emptyRowsAsZeros(output: FixtureOutput): FixtureOutput {
  return { ...output, data: output.data.map((x) => (Number.isNaN(x) ? 0 : x)) };
}

/** Relative positions of Shaw, ALiBi and Huang as options of attention. */
export function positionalCases(): AttentionCase[] {
  return loadFixtures('positional', /^(shaw|alibi_attention|huang)/).map((fixture) => ({
    name: fixture.name,
    query: fixture.input('Q'),
    key: fixture.input('K'),
    value: fixture.input('V'),
    options: positionalOptions(fixture),
    expected: { output: fixture.output('output'), weights: fixture.output('attention_weights') },
  }));
}

function positionalOptions(fixture: Fixture): AttentionReferenceOptions {
  const { causal } = fixture.attributes as { causal?: boolean };
  const options: AttentionReferenceOptions = causal ? { isCausal: true } : {};
  if (fixture.has('rel_k')) options.relativeKeys = fixture.input('rel_k');
  if (fixture.has('rel_v')) options.relativeValues = fixture.input('rel_v');
  if (fixture.has('E_r')) options.relativeKeys = withFutureRows(fixture.input('E_r'));
  if (fixture.op === 'positional.alibi_attention') {
    // The slopes of four heads: 2^-2, 2^-4, 2^-6, 2^-8 (Press et al. 2022).
    options.alibiSlopes = { data: [0.25, 0.0625, 0.015625, 0.00390625], shape: [4] };
  }
  return options;
}

/** Huang's table ends at distance 0. Causal attention never reads the rows for later keys, so they are NaN here. */
function withFutureRows({ data, shape }: Numbers): Numbers {
  const [H, n, E] = shape as [number, number, number];
  const rows = 2 * n - 1;
  const table = new Float32Array(H * rows * E).fill(NaN);
  for (let h = 0; h < H; ++h) {
    for (let at = 0; at < n * E; ++at) table[h * rows * E + at] = data[h * n * E + at]!;
  }
  return { data: table, shape: [H, rows, E] };
}
