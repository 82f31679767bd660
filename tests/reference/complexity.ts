/** Counts by doing: the loops of one layer run with nothing in them but a counter. */

/** Multiply–adds of a width-keeping convolution over n tokens, of k taps each (those in the padding too). */
export function convolutionMultiplyAdds(n: number, d: number, k: number): number {
  let count = 0;
  for (let i = 0; i < n; ++i) {
    for (let tap = 0; tap < k; ++tap) {
      for (let o = 0; o < d; ++o) for (let c = 0; c < d; ++c) ++count;
    }
  }
  return count;
}

/** Multiply–adds of W_ih·x and W_hh·h for every token. */
export function recurrenceMultiplyAdds(n: number, d: number): number {
  let count = 0;
  for (let t = 0; t < n; ++t) {
    for (let o = 0; o < d; ++o) for (let c = 0; c < d; ++c) ++count;
    for (let o = 0; o < d; ++o) for (let c = 0; c < d; ++c) ++count;
  }
  return count;
}

/** Multiply–adds of Q·Kᵀ and of the weights with V; the projections are not counted, as in the textbook. */
export function attentionMultiplyAdds(n: number, d: number): number {
  let count = 0;
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      for (let e = 0; e < d; ++e) ++count;
      for (let e = 0; e < d; ++e) ++count;
    }
  }
  return count;
}

/**
 * Layers of a convolution until some token's receptive field holds both the first and the last of n tokens, found by spreading
 * the field layer by layer. Each layer adds k - 1 tokens to it, wherever the kernel is centred.
 */
export function convolutionPathLength(n: number, k: number): number {
  let field = new Set([0]);
  for (let layers = 1; ; ++layers) {
    const wider = new Set<number>();
    for (const token of field) for (let tap = 0; tap < k; ++tap) wider.add(token + tap);
    field = wider;
    if (field.has(n - 1)) return layers;
  }
}
