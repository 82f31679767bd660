/** One of many logits, and its share in their softmax. */
export interface Likely {
  readonly at: number;
  readonly share: number;
}

/** The largest of many logits and their shares in a softmax, found in one pass: a vocabulary may have 150,000. */
export function likeliest(logits: ArrayLike<number>, count: number): Likely[] {
  const best: number[] = [];
  const logit = (at: number): number => logits[at] ?? -Infinity;
  for (let at = 0; at < logits.length; ++at) {
    if (best.length === count && logit(at) <= logit(best.at(-1)!)) continue;
    const place = best.findIndex((other) => logit(at) > logit(other));
    best.splice(place < 0 ? best.length : place, 0, at);
    best.length = Math.min(best.length, count);
  }
  const most = logit(best[0]!);
  let sum = 0;
  for (let at = 0; at < logits.length; ++at) sum += Math.exp(logit(at) - most);
  return best.map((at) => ({ at, share: Math.exp(logit(at) - most) / sum }));
}

/** The place of a logit among all, from 1: one more than the number of those that are larger. */
export function rankOf(logits: ArrayLike<number>, at: number): number {
  const own = logits[at]!;
  let rank = 1;
  for (let i = 0; i < logits.length; ++i) if (logits[i]! > own) ++rank;
  return rank;
}
