/** Counts operations by running the loops of one layer with only a counter inside. */

/**
 * Multiply–adds of a convolution with k taps, including taps on padding, from n tokens of width d to n tokens of width
 * d.
 */
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

/** Multiply–adds of Q·Kᵀ and of weights·V. Like the textbook, this leaves out the projections. */
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
 * How many convolution layers it takes until a token depends on both the first and the last of n tokens. The set of
 * tokens that it depends on grows by k - 1 with each layer, however the kernel is centred.
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
