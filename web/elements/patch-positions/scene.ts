import type { VisionModel } from 'wasm-attention/models';
import { GRID, PATCHES, pixelsOf, SIDE, type Picture } from '../../training/index.js';
import { normalDraws } from '../shared/normal-draws.js';

/** At each place of a picture, which patch lies there, counted from 0. */
export type Order = readonly number[];

/** What a model makes of a picture. */
export interface Sight {
  /** The probability of each number of circles. */
  readonly shares: readonly number[];
  /** Each head's weights, (PATCHES, PATCHES). */
  readonly heads: readonly Float32Array[];
}

/** A picture with its patches in another order, and what a model makes of it. */
export interface Scene {
  readonly picture: Picture;
  readonly order: Order;
  readonly sight: Sight;
  /** What the model makes of it in the original order. */
  readonly before: Sight;
  /** The largest difference of a weight from that in the original order, apart from where it is. */
  readonly change: number;
}

/** The difference that another order of float32 sums can make: a few hundred roundings of numbers below 1. */
export const ROUNDING = 256 * 2 ** -24;

/** A random order, the same for the same seed; 0 is the original order. */
export function orderOf(seed: number): Order {
  const patches = Array.from({ length: PATCHES }, (_, patch) => patch);
  if (seed === 0) return patches;
  const draws = normalDraws(PATCHES, seed);
  return patches.sort((a, b) => draws[a]! - draws[b]!);
}

/** Shows a picture to a model, in the original order and in another one. */
export function patchScene(model: VisionModel, original: Picture, order: Order): Scene {
  const { pieces, stroke } = original;
  const picture = { pieces: order.map((patch) => pieces[patch]!), stroke };
  const [before, sight] = [lookAt(model, original), lookAt(model, picture)];
  return { picture, order, sight, before, change: changeOf(before, sight, order) };
}

function lookAt(model: VisionModel, picture: Picture): Sight {
  const size = GRID * SIDE;
  const pixels = { data: pixelsOf(picture), shape: [1, 1, size, size] };
  const { logits, weights } = model.forward(pixels, { needWeights: true });
  const powers = Array.from(logits!.data, Math.exp);
  const sum = powers.reduce((a, b) => a + b, 0);
  const { data } = weights![0]!;
  const heads = Array.from({ length: model.numHeads }, (_, head) =>
    data.slice(head * PATCHES ** 2, (head + 1) * PATCHES ** 2),
  );
  return { shares: powers.map((power) => power / sum), heads };
}

function changeOf(before: Sight, after: Sight, order: Order): number {
  const changes = after.heads.flatMap((head, h) =>
    order.map((was, place) => {
      const row = rowOf(before.heads[h]!, was);
      return Math.max(...rowOf(head, place).map((weight, key) => Math.abs(weight - row[order[key]!]!)));
    }),
  );
  return Math.max(...changes);
}

/** What the patch at a place attends to, from a head's weights. */
export function rowOf(head: Float32Array, place: number): Float32Array {
  return head.subarray(place * PATCHES, (place + 1) * PATCHES);
}

/** The number of circles with the largest share. */
export function answerOf({ shares }: Sight): number {
  return shares.indexOf(Math.max(...shares));
}
