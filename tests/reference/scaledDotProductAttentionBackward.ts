import {
  broadcastOffset,
  dot,
  fourAxes,
  positionOf,
  relativeRow,
  rowOf,
  scaledDotProductAttention,
  type AttentionReferenceOptions,
} from './scaledDotProductAttention.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** A gradient, and for each element the sum of its terms' magnitudes, to which its roundings are relative. */
export interface GradientReference extends Reference {
  readonly magnitude: Float64Array;
}

export interface AttentionGradientsReference {
  query: GradientReference;
  key: GradientReference;
  value: GradientReference;
  bias?: GradientReference;
  relativeKeys?: GradientReference;
  relativeValues?: GradientReference;
  sinks?: GradientReference;
  pastKey?: GradientReference;
  pastValue?: GradientReference;
}

/**
 * The gradients of sum(output · gradOutput), one weight at a time. `kept` are dropout's factors of the weights, 0 or
 * 1/(1-p); without them nothing is dropped.
 */
export function scaledDotProductAttentionBackward(
  gradOutput: Numbers,
  query: Numbers,
  key: Numbers,
  value: Numbers,
  options: AttentionReferenceOptions = {},
  kept?: ArrayLike<number>,
): AttentionGradientsReference {
  const forward = scaledDotProductAttention(query, key, value, options);
  const { presentKey, presentValue, weights, masked, softcapped } = forward;
  const [B, H, L, E] = fourAxes(query.shape);
  const [, Hkv, S, Ev] = fourAxes(presentValue.shape);
  const { bias, relativeKeys, relativeValues, softcap, sinks } = options;
  const scale = options.scale ?? 1 / Math.sqrt(E);
  const rank = query.shape.length;

  const gradQuery = gradient(query.shape);
  const gradKey = gradient(presentKey.shape);
  const gradValue = gradient(presentValue.shape);
  const gradBias = bias && gradient(bias.shape);
  const gradRelativeKeys = relativeKeys && gradient(relativeKeys.shape);
  const gradRelativeValues = relativeValues && gradient(relativeValues.shape);
  const gradSinks = sinks && gradient(sinks.shape);

  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      const kv = b * Hkv + Math.floor(h / (H / Hkv));
      for (let i = 0; i < L; ++i) {
        const row = (b * H + h) * L + i;
        const position = positionOf(options, b, i);
        const q = rowOf(query.data, row, E);
        const g = rowOf(gradOutput.data, row, Ev);
        const slope = new Float64Array(S); // the gradient of each weight, before dropout
        const slopeMagnitude = new Float64Array(S);
        let mean = 0;
        let meanMagnitude = 0;
        for (let j = 0; j < S; ++j) {
          const weight = weights.data[row * S + j]!;
          if (masked.data[row * S + j] === -Infinity || weight === 0) continue;
          const factor = kept ? kept[row * S + j]! : 1;
          const absolute = g.map(Math.abs);
          slope[j] = factor * dot(g, presentValue.data, kv * S + j);
          slopeMagnitude[j] = factor * dot(absolute, rowOf(presentValue.data, kv * S + j, Ev).map(Math.abs), 0);
          if (relativeValues) {
            const at = relativeRow(relativeValues, h, j - position);
            slope[j] = slope[j]! + factor * dot(g, relativeValues.data, at);
            slopeMagnitude[j] =
              slopeMagnitude[j]! + factor * dot(absolute, rowOf(relativeValues.data, at, Ev).map(Math.abs), 0);
          }
          mean += weight * slope[j]!;
          meanMagnitude += weight * slopeMagnitude[j]!;
        }
        if (sinks) {
          // The sink's own slope is 0, as it has no value.
          const weight = Math.exp(sinks.data[h]! - forward.logSumExp.data[row]!) || 0;
          add(gradSinks!, h, -weight * mean, weight * meanMagnitude);
        }
        for (let j = 0; j < S; ++j) {
          const weight = weights.data[row * S + j]!;
          if (masked.data[row * S + j] === -Infinity || weight === 0) continue;
          const mixed = weight * (kept ? kept[row * S + j]! : 1);
          const score = weight * (slope[j]! - mean);
          const size = weight * (slopeMagnitude[j]! + meanMagnitude);
          const capped = softcap ? 1 - (softcapped.data[row * S + j]! / softcap) ** 2 : 1;
          addRow(gradValue, kv * S + j, mixed, mixed, g);
          addRow(gradKey, kv * S + j, scale * capped * score, scale * size, q);
          const keyRow = rowOf(presentKey.data, kv * S + j, E);
          addRow(gradQuery, row, scale * capped * score, scale * size, keyRow);
          if (gradBias) {
            const index = rank === 4 ? [b, h, i, j] : rank === 3 ? [b, i, j] : [i, j];
            add(gradBias, broadcastOffset(gradBias.shape, index)!, score, size);
          }
          if (relativeKeys) {
            const at = relativeRow(relativeKeys, h, j - position);
            addRow(gradRelativeKeys!, at, scale * score, scale * size, q);
            addRow(gradQuery, row, scale * score, scale * size, rowOf(relativeKeys.data, at, E));
          }
          if (relativeValues) {
            addRow(gradRelativeValues!, relativeRow(relativeValues, h, j - position), mixed, mixed, g);
          }
        }
      }
    }
  }
  const past = S - key.shape.at(-2)!;
  const [pastKey, newKey] = cutRows(gradKey, past, options.pastKey?.shape, key.shape);
  const [pastValue, newValue] = cutRows(gradValue, past, options.pastValue?.shape, value.shape);
  return {
    query: gradQuery,
    key: newKey,
    value: newValue,
    ...(gradBias && { bias: gradBias }),
    ...(gradRelativeKeys && { relativeKeys: gradRelativeKeys }),
    ...(gradRelativeValues && { relativeValues: gradRelativeValues }),
    ...(gradSinks && { sinks: gradSinks }),
    ...(pastKey && { pastKey }),
    ...(pastValue && { pastValue }),
  };
}

function gradient(shape: readonly number[]): GradientReference {
  const { data } = zeros(...shape);
  return { data, shape, magnitude: new Float64Array(data.length) };
}

function add({ data, magnitude }: GradientReference, at: number, term: number, size: number): void {
  data[at] = data[at]! + term;
  magnitude[at] = magnitude[at]! + Math.abs(size);
}

/** Adds factor · vector to row `row`; `size` is the factor's magnitude. */
function addRow(to: GradientReference, row: number, factor: number, size: number, vector: number[]): void {
  vector.forEach((x, e) => add(to, row * vector.length + e, factor * x, size * Math.abs(x)));
}

/** Separates the gradients of the present rows into those of the past and those of the new rows. */
function cutRows(
  all: GradientReference,
  past: number,
  pastShape: readonly number[] | undefined,
  newShape: readonly number[],
): [GradientReference | undefined, GradientReference] {
  const [B, H, S, width] = fourAxes(all.shape);
  const cut = (from: number, to: number, shape: readonly number[]): GradientReference => {
    const part = gradient(shape);
    for (let head = 0; head < B * H; ++head) {
      const start = head * (to - from) * width;
      const [first, last] = [(head * S + from) * width, (head * S + to) * width];
      part.data.set(all.data.subarray(first, last), start);
      part.magnitude.set(all.magnitude.subarray(first, last), start);
    }
    return part;
  };
  return [pastShape && cut(0, past, pastShape), cut(past, S, newShape)];
}
