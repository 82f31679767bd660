/** Calls of additive attention: those of the fixtures, and random ones. */
import type { AdditiveTensors } from '../reference/additiveAttention.js';
import { EPS, type Numbers, type Tolerance } from './close.js';
import { loadFixtures, type Fixture, type FixtureOutput } from './fixtures.js';
import type { Random, RandomTensor } from './random.js';

export const NAMES = ['queries', 'keys', 'values', 'Wq', 'Wk', 'wv'] as const;

/** The tensors' names in the fixtures. */
const STORED: AdditiveTensors<string> = {
  queries: 'queries',
  keys: 'keys',
  values: 'values',
  Wq: 'W_q.weight',
  Wk: 'W_k.weight',
  wv: 'w_v.weight',
};

interface AdditiveCase {
  readonly name: string;
  readonly tensors: AdditiveTensors;
  readonly validLens: Numbers | undefined;
  readonly gradOutput: Numbers;
  readonly output: FixtureOutput;
  readonly weights: FixtureOutput;
  readonly gradients: AdditiveTensors<FixtureOutput>;
}

function each<T>(of: (name: (typeof NAMES)[number]) => T): AdditiveTensors<T> {
  return Object.fromEntries(NAMES.map((name) => [name, of(name)])) as unknown as AdditiveTensors<T>;
}

function additiveCase(fixture: Fixture): AdditiveCase {
  return {
    name: fixture.name,
    tensors: each((name) => fixture.input(STORED[name])),
    validLens: fixture.has('valid_lens') ? fixture.input('valid_lens') : undefined,
    gradOutput: fixture.input('G'),
    output: fixture.output('output'),
    weights: fixture.output('attention_weights'),
    gradients: each((name) => fixture.output(`grad:${STORED[name]}`)),
  };
}

/** d2l's AdditiveAttention in float64. */
export const additiveCases = () => loadFixtures('d2l_attention', /^additive/).map(additiveCase);

export interface AdditiveSizes {
  readonly B?: number;
  readonly L?: number;
  readonly S?: number;
  readonly Dq?: number;
  readonly Dk?: number;
  readonly Dv?: number;
  readonly D?: number;
}

/** Standard normal inputs, and weights that make hidden units of about the same size. */
export function randomAdditive(
  random: Random,
  { B = 2, L = 3, S = 5, Dq = 4, Dk = 3, Dv = 6, D = 7 }: AdditiveSizes = {},
): AdditiveTensors<RandomTensor> {
  return {
    queries: random.tensor([B, L, Dq]),
    keys: random.tensor([B, S, Dk]),
    values: random.tensor([B, S, Dv]),
    Wq: random.tensor([D, Dq], Dq ** -0.5),
    Wk: random.tensor([D, Dk], Dk ** -0.5),
    wv: random.tensor([1, D]),
  };
}

/** The tensors as the arguments of a call. */
export function positional<T>(t: AdditiveTensors<T>): [T, T, T, { Wq: T; Wk: T; wv: T }] {
  return [t.queries, t.keys, t.values, { Wq: t.Wq, Wk: t.Wk, wv: t.wv }];
}

/**
 * The relative error allowed for a weight, and so for a sum of weighted terms relative to their magnitudes.
 * - A tanh is off by 3·EPS, and by its argument's roundings: 4·EPS times `size`, the largest magnitude that an argument
 *   sums up.
 * - A logit multiplies that by the sum of |wv|. A weight depends on two logits, its own and the largest.
 * - The exponential, the sums and the products of some dozens of terms add 32·EPS.
 */
export function additiveError({ wv }: AdditiveTensors, size: number): number {
  const vector = Array.from(wv.data).reduce((sum, x) => sum + Math.abs(x), 0);
  return (32 + 2 * vector * (3 + 4 * size)) * EPS;
}

/** The same as an absolute tolerance, for sums whose weighted terms are at most `scale` large. */
export function additiveTolerance(t: AdditiveTensors, size: number, scale: number): Tolerance {
  return { atol: additiveError(t, size) * scale };
}
