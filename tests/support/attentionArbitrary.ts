/**
 * Random attention calls for property tests: fast-check draws and shrinks sizes and options, a seed decides the
 * numbers.
 */
import fc from 'fast-check';
import type { AttentionReferenceOptions } from '../reference/scaledDotProductAttention.js';
import { sizeOf } from '../reference/tensor.js';
import { Random, type RandomTensor } from './random.js';

/**
 * The options of attention. `grouped` (fewer key heads than query heads) and `past` need rank 4 and have no effect
 * below. `cuSeqlens` makes the batch 1, and excludes lengths and past.
 */
export const ALL_FEATURES = [
  'validLens',
  'validLensPerQuery',
  'mask',
  'bias',
  'isCausal',
  'scale',
  'softcap',
  'causalOffset',
  'causalOffsetPerSequence',
  'window',
  'past',
  'grouped',
  'relativeKeys',
  'relativeValues',
  'alibiSlopes',
  'sinks',
  'cuSeqlens',
] as const;
export type Feature = (typeof ALL_FEATURES)[number];

export interface RandomCall {
  query: RandomTensor;
  key: RandomTensor;
  value: RandomTensor;
  options: AttentionReferenceOptions;
}

/** A value for a masked place, and the place: fractions choose the head and the key. */
export interface Poison {
  value: number;
  head: number;
  key: number;
}

export const poison: fc.Arbitrary<Poison> = fc.record({
  value: fc.constantFrom(NaN, Infinity, -Infinity, 3e38),
  head: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  key: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

/** Mostly small, sometimes longer than one or two tiles. */
const length = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 9 }), weight: 4 },
  { arbitrary: fc.constantFrom(15, 16, 17, 33, 63, 65), weight: 1 },
);

/** Around one and two blocks of 256 keys. */
const manyKeys = fc.constantFrom(200, 255, 256, 257, 300, 511, 512, 513, 700);

/** Calls with any subset of these features, over few keys or over many. */
export function attentionCall(features: readonly Feature[], keys: 'few' | 'many' = 'few'): fc.Arbitrary<RandomCall> {
  const width = keys === 'few' ? length : fc.integer({ min: 1, max: 9 });
  return fc
    .record({
      seed: fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
      rank: fc.constantFrom(2, 3, 4, 4),
      B: fc.integer({ min: 1, max: keys === 'few' ? 3 : 2 }),
      Hkv: fc.integer({ min: 1, max: 2 }),
      group: fc.integer({ min: 2, max: 3 }),
      L: keys === 'few' ? length : fc.constantFrom(1, 2, 3, 5, 8, 9, 33),
      S: keys === 'few' ? length : manyKeys,
      E: width,
      Ev: width,
      past: fc.integer({ min: 0, max: 9 }),
      features: fc.subarray([...features]),
    })
    .map(build);
}

interface Spec {
  seed: number;
  rank: number;
  B: number;
  Hkv: number;
  group: number;
  L: number;
  S: number;
  E: number;
  Ev: number;
  past: number;
  features: Feature[];
}

function build(spec: Spec): RandomCall {
  const { rank, L, E, Ev } = spec;
  const random = new Random(spec.seed);
  const uses = (feature: Feature): boolean => spec.features.includes(feature);
  const packs = uses('cuSeqlens');
  const B = rank > 2 && !packs ? spec.B : 1;
  const Hkv = rank === 4 ? spec.Hkv : 1;
  const H = rank === 4 && uses('grouped') ? Hkv * spec.group : Hkv;
  const past = rank === 4 && uses('past') && !packs ? spec.past : undefined;
  const S = spec.S + (past ?? 0);
  const leading = (heads: number): number[] => (rank === 4 ? [B, heads] : rank === 3 ? [B] : []);
  const scores = [...leading(H), L, S];

  const options: AttentionReferenceOptions = {};
  if (past !== undefined) {
    options.pastKey = random.tensor([B, Hkv, past, E]);
    options.pastValue = random.tensor([B, Hkv, past, Ev]);
  }
  if (packs) options.cuSeqlens = packedRows(random, L, S);
  else if (uses('validLensPerQuery')) options.validLens = integers(random, [B, L], 0, S + 2);
  else if (uses('validLens')) options.validLens = integers(random, [B], 0, S + 2);
  if (uses('mask')) options.mask = random.mask(broadcastShape(random, scores));
  if (uses('bias')) options.bias = holed(random, random.tensor(broadcastShape(random, scores)));
  if (uses('isCausal')) options.isCausal = true;
  if (uses('causalOffsetPerSequence')) {
    const { cuSeqlens } = options;
    const sequences = cuSeqlens ? ('query' in cuSeqlens ? cuSeqlens.query : cuSeqlens).length - 1 : B;
    options.causalOffset = integers(random, [sequences], -L, S).data;
  } else if (uses('causalOffset')) options.causalOffset = random.integer(-L, S);
  if (uses('window')) {
    const widest = Math.max(6, Math.floor(S / 2));
    const side = (): number => random.integer(-1, widest);
    options.window = random.next() < 0.3 ? random.integer(0, widest) : [side(), side()];
  }
  if (uses('scale')) options.scale = random.next() * 0.5;
  if (uses('softcap')) options.softcap = 0.5 + 5 * random.next();
  const rows = 2 * random.integer(0, 6) + 1;
  const table = (width: number): RandomTensor =>
    random.tensor(random.next() < 0.5 ? [rows, width] : [H, rows, width], 0.5);
  if (uses('relativeKeys')) options.relativeKeys = table(E);
  if (uses('relativeValues')) options.relativeValues = table(Ev);
  if (uses('alibiSlopes')) {
    options.alibiSlopes = { data: Float32Array.from({ length: H }, () => random.next() / 4), shape: [H] };
  }
  if (uses('sinks')) options.sinks = random.tensor([H], 3);
  return {
    query: random.tensor([...leading(H), L, E]),
    key: random.tensor([...leading(Hkv), spec.S, E]),
    value: random.tensor([...leading(Hkv), spec.S, Ev]),
    options,
  };
}

/** One to four sequences, some of which may be empty on either side. */
function packedRows(random: Random, L: number, S: number): AttentionReferenceOptions['cuSeqlens'] {
  const cuts = random.integer(0, 3);
  const starts = (rows: number): number[] => {
    const inner = Array.from({ length: cuts }, () => random.integer(0, rows));
    return [0, ...inner.sort((a, b) => a - b), rows];
  };
  const query = starts(L);
  return L === S && random.next() < 0.5 ? query : { query, key: starts(S) };
}

function integers(
  random: Random,
  shape: number[],
  low: number,
  high: number,
): { data: Int32Array; shape: readonly number[] } {
  return { data: Int32Array.from({ length: sizeOf(shape) }, () => random.integer(low, high)), shape };
}

/** A shape that broadcasts to the scores': some leading axes are missing, some are 1, and the last may be short. */
function broadcastShape(random: Random, scores: readonly number[]): number[] {
  const kept = scores.slice(random.integer(0, scores.length - 1));
  const last = kept.length - 1;
  return kept.map((axis, i) => {
    const draw = random.next();
    if (i < last) return draw < 0.4 ? 1 : axis;
    if (draw < 0.2) return 1;
    return draw < 0.5 && axis > 2 ? random.integer(2, axis - 1) : axis;
  });
}

/** Sets some elements to -Infinity, which masks them. */
function holed(random: Random, tensor: RandomTensor): RandomTensor {
  return { ...tensor, data: tensor.data.map((x) => (random.next() < 0.15 ? -Infinity : x)) };
}
