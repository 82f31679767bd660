import { zeros, type Numbers, type Reference } from './tensor.js';

/** Softmax of a row. -Infinity is masked; a row of nothing else gives zeros. */
export function softmaxRow(row: readonly number[]): number[] {
  const max = Math.max(-Infinity, ...row);
  if (max === -Infinity) return row.map(() => 0);
  const exponentials = row.map((x) => Math.exp(x - max));
  const sum = exponentials.reduce((total, x) => total + x, 0);
  return exponentials.map((x) => x / sum);
}

/** log Σ exp of a row, without overflow. A row of -Infinity gives -Infinity. */
export function logSumExpRow(row: readonly number[]): number {
  const max = Math.max(-Infinity, ...row);
  if (max === -Infinity) return -Infinity;
  return max + Math.log(row.reduce((total, x) => total + Math.exp(x - max), 0));
}

/** scores (…, L, S) of rank 2 to 4; validLens (B,) or (B, L), where B is 1 for rank 2. */
export function maskedSoftmax(scores: Numbers, validLens?: Numbers): Reference {
  const { shape } = scores;
  const [L, S] = shape.slice(-2) as [number, number];
  const B = shape.length > 2 ? shape[0]! : 1;
  const H = shape.length === 4 ? shape[1]! : 1;
  const out = zeros(...shape);
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let i = 0; i < L; ++i) {
        const start = ((b * H + h) * L + i) * S;
        const valid = validLens ? validLens.data[validLens.shape.length === 2 ? b * L + i : b]! : S;
        const row: number[] = [];
        for (let j = 0; j < S; ++j) row.push(j < valid ? scores.data[start + j]! : -Infinity);
        out.data.set(softmaxRow(row), start);
      }
    }
  }
  return out;
}
