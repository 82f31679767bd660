/** Chooses the next token of a text. */
import { wrongUse } from '../../check/values.js';
import { OPERATION, type Sampling } from './options.js';

/** Draws a token from logits; -1 if there is none, because a logit is NaN or the largest is not finite. */
export type Draw = (logits: Float32Array) => number;

/** Draws one token after another of the text that begins with `prompt`. It changes the logits. */
export function writer(sampling: Sampling, prompt: readonly number[], seed: number): Draw {
  const { onLogits, repetitionPenalty } = sampling;
  const draw = drawer(sampling, seed);
  // Then the text does not matter.
  if (!onLogits && repetitionPenalty === 1) return draw;
  const text = [...prompt];
  const used = new Set(text);
  return (logits) => {
    if (onLogits) {
      // Copies, which the caller may keep.
      const copy = logits.slice();
      onLogits(copy, [...text]);
      if (copy.length !== logits.length) wrongUse(OPERATION, "onLogits to keep the logits' buffer", 'a detached one');
      logits.set(copy);
    }
    if (repetitionPenalty !== 1) penalize(logits, used, repetitionPenalty);
    const token = draw(logits);
    text.push(token);
    used.add(token);
    return token;
  };
}

/** Makes tokens less likely for a penalty above 1, and more likely for one below. */
function penalize(logits: Float32Array, tokens: Iterable<number>, penalty: number): void {
  for (const token of tokens) {
    const logit = logits[token]!;
    logits[token] = logit < 0 ? logit * penalty : logit / penalty;
  }
}

/**
 * Takes the most likely token for a temperature of 0. Otherwise samples from the `topK` most likely tokens, of these
 * from the fewest that together have the probability `topP`, and of these from those that are at least `minP` times as
 * likely as the most likely one.
 */
export function drawer({ temperature, topK, topP, minP }: Sampling, seed: number): Draw {
  if (temperature === 0) return mostLikely;
  const random = generator(seed);
  return (logits) => {
    const best = mostLikely(logits);
    if (best < 0) return best;
    const max = logits[best]!;
    const probabilities = Float64Array.from(logits, (logit) => Math.exp((logit - max) / temperature));
    const sumOf = (order: Int32Array): number => order.reduce((sum, i) => sum + probabilities[i]!, 0);
    let order = Int32Array.from(logits.keys());
    if (topK < order.length || topP < 1) {
      // Ties are ordered by id.
      order.sort((i, j) => probabilities[j]! - probabilities[i]! || i - j);
      order = order.subarray(0, topK);
    }
    if (topP < 1) {
      const least = topP * sumOf(order);
      let sum = 0;
      const count = order.findIndex((i) => (sum += probabilities[i]!) >= least) + 1;
      if (count > 0) order = order.subarray(0, count);
    }
    if (minP > 0) order = order.filter((i) => probabilities[i]! >= minP);
    let left = random() * sumOf(order);
    for (const i of order) {
      left -= probabilities[i]!;
      if (left < 0) return i;
    }
    return order[order.length - 1]!;
  };
}

/** The most likely token; -1 if a logit is NaN or the largest is not finite. */
export function mostLikely(logits: Float32Array): number {
  let best = 0;
  for (let i = 0; i < logits.length; ++i) {
    const logit = logits[i]!;
    if (Number.isNaN(logit)) return -1;
    if (logit > logits[best]!) best = i;
  }
  return Number.isFinite(logits[best]) ? best : -1;
}

/** Numbers in [0, 1): mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
