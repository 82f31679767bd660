import type { WasmAttention } from 'wasm-attention';

/** A point of the plane, also a vector of width 2. */
export type Point = readonly [x: number, y: number];

/** Coordinates range from −REACH to REACH, in steps of STEP. */
export const REACH = 3;
export const STEP = 0.1;
const BIG_STEP = 0.5;
/** The width of queries and keys. */
const WIDTH = 2;

/** A query and equally many keys and values, all in the plane. */
export interface Scene {
  readonly query: Point;
  readonly keys: readonly Point[];
  readonly values: readonly Point[];
  /** Keys at or beyond this index are masked. */
  readonly valid: number;
  /** Divides the scores; 1 is the textbook's attention. */
  readonly temperature: number;
}

/**
 * Places for the mixture, one after the other: a corner of the triangle of the values, the middle of an edge, the
 * centre, and one that no weights reach; each as the weights that it would take.
 */
export const RINGS = {
  corner: [0, 1, 0],
  edge: [0.5, 0, 0.5],
  centre: [1 / 3, 1 / 3, 1 / 3],
  outside: [0.7, 0.7, -0.4],
} as const;
export type Ring = keyof typeof RINGS;
/** The ring's radius. */
export const RADIUS = 0.3;
/** How far each weight may be from the ring's. */
const TOLERANCE = 0.05;

/** The attention of a scene. */
export interface Lookup {
  /** One per key; −Infinity for a masked key. */
  readonly scores: readonly number[];
  readonly weights: readonly number[];
  readonly mixture: Point;
}

/** Computes the scores q·k/(T√d_k), their softmax, and the mixture of the values. */
export function lookUp(library: WasmAttention, scene: Scene): Lookup {
  const { query, keys, values, valid, temperature } = scene;
  const { output, weights, scores } = library.scaledDotProductAttention([query], keys, values, {
    scale: 1 / (temperature * Math.sqrt(WIDTH)),
    validLens: [valid],
    needWeights: true,
    needScores: 'masked',
  });
  return {
    scores: [...(scores?.data ?? [])],
    weights: [...(weights?.data ?? [])],
    mixture: [output.data[0] ?? NaN, output.data[1] ?? NaN],
  };
}

/** The ring's place among the values. */
export function ringAt(ring: Ring, values: readonly Point[]): Point {
  const along = (axis: 0 | 1): number =>
    RINGS[ring].reduce((sum, weight, i) => sum + weight * (values[i]?.[axis] ?? NaN), 0);
  return [along(0), along(1)];
}

/**
 * Whether scores alone, without a mask, bring the mixture into the ring or, as the triangle has three corners and edges,
 * to where a ring would be in one of the others; or whether it is at the edge of the triangle that is next to the ring
 * outside.
 */
export function isIn(ring: Ring, { valid, values }: Scene, { mixture, weights }: Lookup): boolean {
  if (ring === 'outside') return weights[2]! < 0.1 && Math.min(weights[0]!, weights[1]!) > 0.3;
  const turned = <T>(of: readonly T[], turn: number): T[] => [...of.slice(turn), ...of.slice(0, turn)];
  return values.some((_, turn) => {
    const [x, y] = ringAt(ring, turned(values, turn));
    const isNear = Math.hypot(x - mixture[0], y - mixture[1]) < RADIUS;
    const found = turned(weights, turn);
    return (
      isNear && valid === values.length && RINGS[ring].every((weight, i) => Math.abs(weight - found[i]!) < TOLERANCE)
    );
  });
}

/** `x1 y1 x2 y2 …` as points. */
export function pointsOf(numbers: readonly number[]): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i] ?? NaN, numbers[2 * i + 1] ?? NaN]);
}

/** The nearest grid point. */
export function snapped([x, y]: Point): Point {
  // A tenth is not a binary fraction: dividing by ten rounds to the float that is written with one decimal.
  const snap = (value: number): number => Math.max(-REACH, Math.min(REACH, Math.round(value * 10) / 10)) + 0;
  return [snap(x), snap(y)];
}

/** Where a key press moves a point; undefined for other keys. */
export function nudged([x, y]: Point, key: string, big: boolean): Point | undefined {
  const directions: Readonly<Record<string, Point>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowDown: [0, -1],
    ArrowUp: [0, 1],
  };
  const direction = Object.hasOwn(directions, key) ? directions[key] : undefined;
  if (direction === undefined) return undefined;
  const step = big ? BIG_STEP : STEP;
  return snapped([x + step * direction[0], y + step * direction[1]]);
}
