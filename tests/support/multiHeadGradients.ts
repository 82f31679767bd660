/** The gradients of the multi-head fixtures in the library's terms. */
import type { Numbers } from './close.js';
import type { FixtureOutput } from './fixtures.js';
import { d2lNames, multiHeadCases, swapFirstAxes, type MultiHeadCase } from './multiHeadCases.js';

export interface MultiHeadGradients {
  readonly name: string;
  readonly forward: MultiHeadCase;
  readonly gradOutput: Numbers;
  /** By `x`, or by queries, keys and values. */
  readonly inputs: Readonly<Record<string, FixtureOutput>>;
  /** By d2l's names; none where the fixture was too large for them. */
  readonly parameters: Readonly<Record<string, FixtureOutput>>;
}

const TORCH_INPUTS: Record<string, string> = { queries: 'query', keys: 'key', values: 'value' };

/** Cases that have gradients. A query of length 0 gets zeros here and a mean over the padding in d2l: gradients of such a case are others. */
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
  const laidOut = <T extends FixtureOutput>(array: T): T =>
    seqFirst ? { ...array, ...swapFirstAxes(array) } : array;
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
      const { rtol, atol } = 'rtol' in grad ? (grad as FixtureOutput) : joined(grads, name);
      return [name, { data: Float64Array.from(grad.data), shape: grad.shape, rtol, atol }];
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

/** PyTorch's joined projections have one tolerance for all three. */
const joined = (grads: Record<string, FixtureOutput>, name: string): FixtureOutput =>
  grads[name.endsWith('bias') ? 'in_proj_bias' : 'in_proj_weight']!;
