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
