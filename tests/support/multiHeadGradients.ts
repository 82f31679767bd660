/** The gradients of the multi-head fixtures, under the library's names. */
import type { Numbers } from './close.js';
import type { FixtureOutput } from './fixtures.js';
import { d2lNames, multiHeadCases, swapFirstAxes, type MultiHeadCase } from './multiHeadCases.js';

export interface MultiHeadGradients {
  readonly name: string;
  readonly forward: MultiHeadCase;
  readonly gradOutput: Numbers;
  /** Under the name `x`, or queries, keys and values. */
  readonly inputs: Readonly<Record<string, FixtureOutput>>;
  /** Under d2l's names; empty if the fixture leaves them out for their size. */
  readonly parameters: Readonly<Record<string, FixtureOutput>>;
}

const TORCH_INPUTS: Record<string, string> = { queries: 'query', keys: 'key', values: 'value' };

/**
 * The cases that have gradients, except those with a query of length 0: the library gives it zeros, d2l averages the
 * padding, so their gradients differ.
 */
export function multiHeadGradients(): MultiHeadGradients[] {
  return multiHeadCases()
    .filter(({ fixture }) => fixture.has('G'))
    .filter(({ options }) => !options.validLens || !Array.from(lengths(options.validLens)).includes(0))
    .map(gradientsOf);
}

const lengths = (lens: unknown) => (lens as { data: ArrayLike<number> }).data;

function gradientsOf(forward: MultiHeadCase): MultiHeadGradients {
  const { fixture } = forward;
  const seqFirst = fixture.attributes.batch_first === false;
  const laidOut = <T extends FixtureOutput>(array: T): T => (seqFirst ? { ...array, ...swapFirstAxes(array) } : array);
  const inputs: Record<string, FixtureOutput> = {};
  for (const name of ['x', 'queries', 'keys', 'values']) {
    const stored = [name, TORCH_INPUTS[name]].find((other) => fixture.has(`grad:${other}`));
    if (stored) inputs[name] = laidOut(fixture.output(`grad:${stored}`));
  }
  const named = Object.keys(forward.state)
    .filter((name) => fixture.has(`grad:${name}`))
    .map((name) => [name, fixture.output(`grad:${name}`)] as const);
  const grads = Object.fromEntries(named);
  const d2l = grads['out_proj.weight'] ? d2lNames(grads, forward.numHiddens) : grads;
  const tolerances = Object.fromEntries(
    Object.entries(d2l).map(([name, grad]) => {
      const { rtol, atol, source } = 'rtol' in grad ? (grad as FixtureOutput) : joined(grads, name);
      return [name, { data: Float64Array.from(grad.data), shape: grad.shape, rtol, atol, source }];
    }),
  );
  const G = fixture.input('G');
  return {
    name: forward.name,
    forward,
    gradOutput: seqFirst ? swapFirstAxes(G) : G,
    inputs,
    parameters: tolerances,
  };
}

/** The three projections that PyTorch packs together share one tolerance. */
const joined = (grads: Record<string, FixtureOutput>, name: string): FixtureOutput =>
  grads[name.endsWith('bias') ? 'in_proj_bias' : 'in_proj_weight']!;
