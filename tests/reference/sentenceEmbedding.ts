/** One vector of a text's tokens, as sentence-transformers' modules make it. */

export interface SentenceModules {
  readonly modes: readonly string[];
  readonly dense: readonly {
    /** A list of weights for each output. */
    readonly weight: readonly (readonly number[])[];
    readonly bias: readonly number[];
    readonly isTanh: boolean;
  }[];
  readonly dim: number;
  readonly normalize: boolean;
}

/** How much of each token is in the vector; `max` is no sum. */
const SHARES: Readonly<Record<string, (mask: readonly number[]) => readonly number[]>> = {
  mean: (mask) => mask.map((one) => one / count(mask)),
  mean_sqrt_len: (mask) => mask.map((one) => one / Math.sqrt(count(mask))),
  weighted_mean(mask) {
    const places = mask.map((one, token) => one * (token + 1));
    return places.map((place) => place / count(places));
  },
  cls: (mask) => mask.map((_, token) => Number(token === mask.indexOf(1))),
  last: (mask) => mask.map((_, token) => Number(token === mask.lastIndexOf(1))),
};

const count = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b);

/** @param mask 1 for each token, 0 for padding */
export function pooled(mode: string, tokens: readonly (readonly number[])[], mask: readonly number[]): number[] {
  const real = tokens.filter((_, token) => mask[token] === 1);
  if (mode === 'max') return tokens[0]!.map((_, i) => Math.max(...real.map((vector) => vector[i]!)));
  const shares = SHARES[mode]!(mask);
  return tokens[0]!.map((_, i) =>
    count(tokens.map((vector, token) => (shares[token] ? shares[token] * vector[i]! : 0))),
  );
}

export function sentenceEmbedding(
  tokens: readonly (readonly number[])[],
  mask: readonly number[],
  { modes, dense, dim, normalize }: SentenceModules,
): number[] {
  let vector = modes.flatMap((mode) => pooled(mode, tokens, mask));
  for (const { weight, bias, isTanh } of dense) {
    const mapped = weight.map((row, o) => count(row.map((w, i) => w * vector[i]!)) + bias[o]!);
    vector = isTanh ? mapped.map(Math.tanh) : mapped;
  }
  const kept = vector.slice(0, dim);
  return normalize ? kept.map((x) => x / Math.max(Math.hypot(...kept), 1e-12)) : kept;
}
