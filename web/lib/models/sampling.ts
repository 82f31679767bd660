/** Samples a token from logits; -1 if there is none, because a logit is NaN or the largest is not finite. */
export type Draw = (logits: Float32Array) => number;

/**
 * Takes the most likely token for a temperature of 0. Otherwise samples from the `topK` most likely tokens, or the
 * fewest of these that together have the probability `topP`.
 */
export function drawer(temperature: number, topK: number | undefined, topP: number, seed: number): Draw {
  if (temperature === 0) return mostLikely;
  const random = generator(seed);
  return (logits) => {
    const best = mostLikely(logits);
    if (best < 0) return best;
    const max = logits[best]!;
    const probabilities = Float64Array.from(logits, (logit) => Math.exp((logit - max) / temperature));
    let order = Int32Array.from(logits.keys());
    if (topK !== undefined || topP < 1) {
      // Ties are ordered by id.
      order.sort((i, j) => probabilities[j]! - probabilities[i]! || i - j);
      order = order.subarray(0, topK);
    }
    let total = order.reduce((sum, i) => sum + probabilities[i]!, 0);
    if (topP < 1) {
      let sum = 0;
      const count = order.findIndex((i) => (sum += probabilities[i]!) >= topP * total) + 1;
      if (count > 0) {
        order = order.subarray(0, count);
        total = sum;
      }
    }
    let left = random() * total;
    for (const i of order) {
      left -= probabilities[i]!;
      if (left < 0) return i;
    }
    return order[order.length - 1]!;
  };
}

function mostLikely(logits: Float32Array): number {
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
