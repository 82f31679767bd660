/** The attention cases of the fixtures that have gradients. */
import { attentionCases, type AttentionCase } from './attentionCases.js';
import type { Numbers } from './close.js';
import { loadFixtures, type Fixture, type FixtureOutput } from './fixtures.js';

export interface GradientCase extends Omit<AttentionCase, 'expected'> {
  readonly gradOutput: Numbers;
  readonly expected: {
    query: FixtureOutput;
    key: FixtureOutput;
    value: FixtureOutput;
    bias?: FixtureOutput;
  };
}

export function gradientCases(): GradientCase[] {
  const calls = new Map(attentionCases().map((call) => [call.name, call]));
  return [
    ...loadFixtures('sdpa'),
    ...loadFixtures('d2l_attention', /^dot_product/),
    ...loadFixtures('nasty', /^(attention|padding)/),
  ]
    .filter((fixture) => fixture.has('G'))
    .map((fixture) => gradientCase(fixture, calls.get(fixture.name)!));
}

function gradientCase(fixture: Fixture, { name, query, key, value, options }: AttentionCase): GradientCase {
  const [q, k, v] = fixture.has('Q') ? ['Q', 'K', 'V'] : ['queries', 'keys', 'values'];
  return {
    name,
    query,
    key,
    value,
    options,
    gradOutput: fixture.input('G'),
    expected: {
      query: fixture.output(`grad:${q}`),
      key: fixture.output(`grad:${k}`),
      value: fixture.output(`grad:${v}`),
      ...(fixture.has('grad:attn_bias') && { bias: fixture.output('grad:attn_bias') }),
    },
  };
}
