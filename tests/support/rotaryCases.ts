/** The rotary cases of the fixtures, as calls of the library. */
import { loadFixtures, type FixtureInput, type FixtureOutput } from './fixtures.js';

export interface RotaryCase {
  name: string;
  x: FixtureInput;
  gradOutput: FixtureInput;
  options: { base: number; rotaryDim: number; interleaved: boolean; positions: FixtureInput };
  expected: { output: FixtureOutput; gradient: FixtureOutput };
}

export function rotaryCases(): RotaryCase[] {
  return loadFixtures('positional', /^rope_(?!half_relative)/).map((fixture) => {
    const { mode, base, rotary_dim } = fixture.attributes as {
      mode: 'interleaved' | 'half';
      base: number;
      rotary_dim: number;
    };
    return {
      name: fixture.name,
      x: fixture.input('x'),
      gradOutput: fixture.input('G'),
      options: {
        base,
        rotaryDim: rotary_dim,
        interleaved: mode === 'interleaved',
        positions: fixture.input('positions'),
      },
      expected: { output: fixture.output('output'), gradient: fixture.output('grad:x') },
    };
  });
}
