import { tagOf, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { toRows, type TokenIds } from './tokens.js';
import type { TensorLike } from '../types.js';
import type { Model, ModelResult, VisionModel } from './types.js';

const OPERATION = 'drift';

/** How far a model's numbers are from those of another that opened the same checkpoint. */
export interface Drift {
  /** The cosine between the last hidden states of a token in both models: the least over all tokens. */
  cosine: number;
  /** The share of tokens for which another successor is the most likely one. NaN without logits of tokens. */
  flips: number;
  /** The mean over tokens of KL(reference ‖ model) between the predictions, in nats. NaN without logits of tokens. */
  divergence: number;
}

/**
 * Measures what a smaller `weightType` changes: runs both models over the same tokens and compares their results in
 * float64. For an encoder that predicts masked tokens, a token's successor is what it predicts in the token's place.
 *
 * @param reference a model in float32
 * @param model the same checkpoint with another `weightType`
 * @param ids (B, T) or (T), without padding
 * @throws TypeError for models in a worker; RangeError for models of different sizes, for ids beyond the vocabulary and
 *   for rows of unequal length
 * @example
 * const { flips } = drift(model, await openModel({ config, weights, weightType: 'int8' }), ids);
 */
export function drift(reference: Model, model: Model, ids: TokenIds): Drift;
/**
 * `drift` for models of pictures, which only have a cosine.
 *
 * @param pixels as in `forward`
 */
export function drift(reference: VisionModel, model: VisionModel, pixels: TensorLike): Drift;
export function drift(reference: Model | VisionModel, model: Model | VisionModel, input: TokenIds | TensorLike): Drift {
  const models = { reference, model };
  for (const [name, given] of Object.entries(models)) {
    if (typeof (Object(given) as Partial<Model>).forward !== 'function') {
      wrongKind(OPERATION, `${name} to be a model from openModel`, given);
    }
  }
  for (const size of ['numHiddens', 'vocabSize'] as const) {
    if (reference[size] !== model[size]) wrongValue(OPERATION, `models with the same ${size}`, model[size]);
  }
  const { vocabSize } = reference;
  let [cosine, flips, divergence, count] = [1, 0, 0, 0];
  for (const each of vocabSize === 0 ? [input] : rowsOfTokens(input as TokenIds, vocabSize)) {
    const [one, other] = [resultOf(reference, each), resultOf(model, each)];
    const predicts = one.logits?.shape.at(-1) === vocabSize && one.logits.shape.length === 3;
    const tokens = one.hidden.data.length / one.hidden.shape.at(-1)!;
    count += tokens;
    for (let t = 0; t < tokens; ++t) {
      cosine = Math.min(cosine, cosineOf(rowOf(one.hidden, t), rowOf(other.hidden, t)));
      if (!predicts) continue;
      const [p, q] = [rowOf(one.logits!, t), rowOf(other.logits!, t)];
      flips += Number(indexOfMost(p) !== indexOfMost(q));
      divergence += divergenceOf(p, q);
    }
    if (!predicts) flips = NaN;
  }
  return { cosine, flips: flips / count, divergence: Number.isNaN(flips) ? NaN : divergence / count };
}

function rowsOfTokens(ids: TokenIds, vocabSize: number): number[][] {
  const { data, batch, tokens } = toRows(OPERATION, 'ids', ids, vocabSize - 1);
  return Array.from({ length: batch }, (_, b) => Array.from(data.subarray(b * tokens, (b + 1) * tokens)));
}

function resultOf(model: Model | VisionModel, input: TokenIds | TensorLike): ModelResult {
  const result = (model as Model).forward(input as TokenIds);
  return tagOf(result) === 'Promise' ? wrongUse(OPERATION, 'models outside workers', 'one in a worker') : result;
}

/** The numbers of a token, of the last axis. */
function rowOf({ data, shape }: { data: Float32Array; shape: readonly number[] }, token: number): Float32Array {
  const width = shape.at(-1)!;
  return data.subarray(token * width, (token + 1) * width);
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  let [product, squareA, squareB] = [0, 0, 0];
  a.forEach((x, i) => {
    product += x * b[i]!;
    squareA += x * x;
    squareB += b[i]! * b[i]!;
  });
  return product / Math.sqrt(squareA * squareB);
}

function indexOfMost(row: Float32Array): number {
  return row.reduce((best, x, i) => (x > row[best]! ? i : best), 0);
}

/** KL(p ‖ q) of the softmax of logits. */
function divergenceOf(p: Float32Array, q: Float32Array): number {
  const [totalP, totalQ] = [logSum(p), logSum(q)];
  return p.reduce((sum, x, i) => sum + Math.exp(x - totalP) * (x - totalP - (q[i]! - totalQ)), 0);
}

function logSum(row: Float32Array): number {
  const most = row[indexOfMost(row)]!;
  return most + Math.log(row.reduce((sum, x) => sum + Math.exp(x - most), 0));
}
