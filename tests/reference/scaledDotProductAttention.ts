import { logSumExpRow, softmaxRow } from './maskedSoftmax.js';
import { offset, zeros, type Numbers, type Reference } from './tensor.js';

export interface AttentionReferenceOptions {
  validLens?: Numbers;
  mask?: { readonly data: ArrayLike<number | boolean>; readonly shape: readonly number[] };
  bias?: Numbers;
  isCausal?: boolean;
  causalOffset?: number | ArrayLike<number>;
  window?: number | readonly [number, number];
  scale?: number;
  softcap?: number;
  pastKey?: Numbers;
  pastValue?: Numbers;
  relativeKeys?: Numbers;
  relativeValues?: Numbers;
  alibiSlopes?: Numbers;
  sinks?: Numbers;
  cuSeqlens?: ArrayLike<number> | { query: ArrayLike<number>; key: ArrayLike<number> };
}

export interface AttentionReference {
  output: Reference;
  weights: Reference;
  /** The scores at each stage of `needScores`. */
  scaled: Reference;
  softcapped: Reference;
  masked: Reference;
  logSumExp: Reference;
  presentKey: Reference;
  presentValue: Reference;
}

/**
 * Attention of ranks 2 to 4, for one query and one key at a time. The results have the query's rank, but present keys
 * and values are always (B, Hkv, S, ·).
 */
export function scaledDotProductAttention(
  query: Numbers,
  key: Numbers,
  value: Numbers,
  options: AttentionReferenceOptions = {},
): AttentionReference {
  const rank = query.shape.length;
  const [B, H, L, E] = fourAxes(query.shape);
  const presentKey = appended(options.pastKey, key);
  const presentValue = appended(options.pastValue, value);
  const [, Hkv, S, Ev] = fourAxes(presentValue.shape);
  const scale = options.scale ?? 1 / Math.sqrt(E);
  const leading = rank === 4 ? [B, H] : rank === 3 ? [B] : [];

  const output = zeros(...leading, L, Ev);
  const weights = zeros(...leading, L, S);
  const scaled = zeros(...leading, L, S);
  const softcapped = zeros(...leading, L, S);
  const masked = zeros(...leading, L, S);
  const logSumExp = zeros(...leading, L);

  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      const kv = b * Hkv + Math.floor(h / (H / Hkv));
      for (let i = 0; i < L; ++i) {
        const row = (b * H + h) * L + i;
        const queryRow = rowOf(query.data, row, E);
        const position = positionOf(options, b, i);
        for (let j = 0; j < S; ++j) {
          const distance = j - position;
          const raw = scale * dot(queryRow, presentKey.data, kv * S + j);
          const capped = options.softcap ? options.softcap * Math.tanh(raw / options.softcap) : raw;
          const index = [...leading.map((_, axis) => (axis === 0 ? b : h)), i, j];
          let score = capped;
          if (options.bias) score += broadcast(options.bias, index, -Infinity);
          if (options.relativeKeys) {
            score += scale * dot(queryRow, options.relativeKeys.data, relativeRow(options.relativeKeys, h, distance));
          }
          if (options.alibiSlopes) score += options.alibiSlopes.data[h]! * distance;
          scaled.data[row * S + j] = raw;
          softcapped.data[row * S + j] = capped;
          masked.data[row * S + j] = visible(options, index, b, i, j, L, distance) ? score : -Infinity;
        }
        const scores = rowOf(masked.data, row, S);
        // A sink is one more score, whose weight goes to no key.
        const all = options.sinks ? [...scores, options.sinks.data[h]!] : scores;
        const probabilities = softmaxRow(all).slice(0, S);
        weights.data.set(probabilities, row * S);
        logSumExp.data[row] = logSumExpRow(all);
        const mixture = new Float64Array(Ev);
        for (let j = 0; j < S; ++j) {
          if (scores[j] === -Infinity) continue; // a masked value may be anything, even NaN
          const relative = options.relativeValues;
          const relativeStart = relative && relativeRow(relative, h, j - position) * Ev;
          for (let e = 0; e < Ev; ++e) {
            const extra = relative ? relative.data[relativeStart! + e]! : 0;
            mixture[e] = mixture[e]! + probabilities[j]! * (presentValue.data[(kv * S + j) * Ev + e]! + extra);
          }
        }
        output.data.set(mixture, row * Ev);
      }
    }
  }
  return { output, weights, scaled, softcapped, masked, logSumExp, presentKey, presentValue };
}

/** Whether every mask lets query i of sequence b attend to key j. */
function visible(
  options: AttentionReferenceOptions,
  index: readonly number[],
  b: number,
  i: number,
  j: number,
  L: number,
  distance: number,
): boolean {
  const { validLens, mask, bias, isCausal, window, cuSeqlens } = options;
  if (cuSeqlens) {
    const { query, key } = startsOf(cuSeqlens);
    if (sequenceOf(query, i) !== sequenceOf(key, j)) return false;
  }
  if (validLens) {
    const valid = validLens.data[validLens.shape.length === 2 ? b * L + i : b]!;
    if (j >= valid) return false;
  }
  if (mask && !broadcast(mask, index, false)) return false;
  if (bias && broadcast(bias, index, -Infinity) === -Infinity) return false;
  if (isCausal && distance > 0) return false;
  if (window !== undefined) {
    const [left, right] = typeof window === 'number' ? [window, window] : window;
    if (left !== -1 && distance < -left) return false;
    if (right !== -1 && distance > right) return false;
  }
  return true;
}

/**
 * The position of query i of sequence b among the keys; in packed sequences it counts from its sequence's first key.
 */
export function positionOf(
  { causalOffset, pastKey, cuSeqlens }: AttentionReferenceOptions,
  b: number,
  i: number,
): number {
  const starts = cuSeqlens && startsOf(cuSeqlens);
  const sequence = starts ? sequenceOf(starts.query, i) : b;
  const first = starts ? starts.key[sequence]! - starts.query[sequence]! : 0;
  const past = pastKey ? pastKey.shape.at(-2)! : 0;
  return first + i + (typeof causalOffset === 'object' ? causalOffset[sequence]! : (causalOffset ?? past));
}

type Starts = NonNullable<AttentionReferenceOptions['cuSeqlens']>;

function startsOf(cuSeqlens: Starts): { query: ArrayLike<number>; key: ArrayLike<number> } {
  return 'query' in cuSeqlens ? cuSeqlens : { query: cuSeqlens, key: cuSeqlens };
}

/** The packed sequence of a row. */
function sequenceOf(starts: ArrayLike<number>, row: number): number {
  let sequence = 0;
  while (starts[sequence + 1]! <= row) ++sequence;
  return sequence;
}

/** A shape as (B, H, rows, columns): rank 2 has one sequence, rank 3 one head. */
export function fourAxes(shape: readonly number[]): [number, number, number, number] {
  const [rows, columns] = shape.slice(-2) as [number, number];
  return [shape.length > 2 ? shape[0]! : 1, shape.length === 4 ? shape[1]! : 1, rows, columns];
}

/** Puts the past in front of the new rows, for each sequence and head. */
function appended(past: Numbers | undefined, fresh: Numbers): Reference {
  const [B, H, S, width] = fourAxes(fresh.shape);
  const P = past ? past.shape.at(-2)! : 0;
  const all = zeros(B, H, P + S, width);
  for (let head = 0; head < B * H; ++head) {
    for (let j = 0; j < P + S; ++j) {
      const row = j < P ? rowOf(past!.data, head * P + j, width) : rowOf(fresh.data, head * S + j - P, width);
      all.data.set(row, (head * (P + S) + j) * width);
    }
  }
  return all;
}

/**
 * The element of a mask or bias at an index of the scores. Axes align at the right, an axis of length 1 repeats, and
 * beyond the end of a shorter last axis the element is `padding`.
 */
function broadcast<T>(
  { data, shape }: { data: ArrayLike<T>; shape: readonly number[] },
  index: readonly number[],
  padding: T,
): T {
  const at = broadcastOffset(shape, index);
  return at === undefined ? padding : data[at]!;
}

/** The offset of that element; undefined beyond the end of a shorter last axis. */
export function broadcastOffset(shape: readonly number[], index: readonly number[]): number | undefined {
  const last = shape.at(-1)!;
  if (last !== 1 && index.at(-1)! >= last) return undefined;
  const aligned = index.slice(index.length - shape.length);
  return offset(
    shape,
    aligned.map((at, axis) => (shape[axis] === 1 ? 0 : at)),
  );
}

/** The row of a (2k+1, width) or (H, 2k+1, width) table for a distance, which is clipped to ±k. */
export function relativeRow({ shape }: Numbers, h: number, distance: number): number {
  const rows = shape.at(-2)!;
  const k = (rows - 1) / 2;
  return (shape.length === 3 ? h * rows : 0) + Math.min(Math.max(distance, -k), k) + k;
}

export function rowOf(data: ArrayLike<number>, row: number, width: number): number[] {
  const out: number[] = [];
  for (let e = 0; e < width; ++e) out.push(data[row * width + e]!);
  return out;
}

/** The dot product of a and row `row` of a matrix that is as wide as a. */
export function dot(a: readonly number[], matrix: ArrayLike<number>, row: number): number {
  let sum = 0;
  for (let e = 0; e < a.length; ++e) sum += a[e]! * matrix[row * a.length + e]!;
  return sum;
}
