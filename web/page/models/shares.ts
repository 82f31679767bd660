/** A name with its share of all, or its probability. */
export interface Share {
  readonly name: string;
  readonly share: number;
}

/** The largest of many logits and their shares in a softmax, found in one pass: a vocabulary may have 150,000. */
export function likeliest(logits: ArrayLike<number>, count: number): { readonly at: number; readonly share: number }[] {
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
