import { zeros, type Numbers, type Reference } from './tensor.js';

const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** For each row (x - mean) / sqrt(variance + eps), and that square root. */
function normalised(x: Numbers, eps: number): { y: number[]; root: number }[] {
  const [rows, width] = x.shape as [number, number];
  return Array.from({ length: rows }, (_, r) => {
    const row = Array.from({ length: width }, (_, i) => x.data[r * width + i]!);
    const m = mean(row);
    const root = Math.sqrt(mean(row.map((v) => (v - m) ** 2)) + eps);
    return { y: row.map((v) => (v - m) / root), root };
  });
}

/** x (rows, width), weight and bias (width). */
export function layerNorm(x: Numbers, eps: number, weight?: Numbers, bias?: Numbers): Reference {
  const rows = normalised(x, eps);
  const data = rows.flatMap(({ y }) =>
    y.map((v, i) => v * (weight ? weight.data[i]! : 1) + (bias ? bias.data[i]! : 0)),
  );
  return { data: Float64Array.from(data), shape: x.shape };
}

/** The gradients of sum(layerNorm(x)·G). */
export function layerNormBackward(G: Numbers, x: Numbers, eps: number, weight?: Numbers) {
  const [, width] = x.shape as [number, number];
  const gradients = { x: zeros(...x.shape), weight: zeros(width), bias: zeros(width) };
  normalised(x, eps).forEach(({ y, root }, r) => {
    const g = y.map((_, i) => G.data[r * width + i]! * (weight ? weight.data[i]! : 1));
    const meanG = mean(g);
    const meanGy = mean(g.map((v, i) => v * y[i]!));
    for (let i = 0; i < width; ++i) {
      gradients.x.data[r * width + i] = (g[i]! - meanG - y[i]! * meanGy) / root;
      gradients.weight.data[i]! += G.data[r * width + i]! * y[i]!;
      gradients.bias.data[i]! += G.data[r * width + i]!;
    }
  });
  return gradients;
}
