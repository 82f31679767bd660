import { zeros, type Numbers, type Reference } from './tensor.js';

/** The root of the mean square of each row, with eps. */
function roots({ data, shape }: Numbers, eps: number): number[] {
  const [rows, width] = shape as [number, number];
  return Array.from({ length: rows }, (_, r) => {
    let squares = 0;
    for (let i = 0; i < width; ++i) squares += data[r * width + i]! ** 2;
    return Math.sqrt(squares / width + eps);
  });
}

/** x (rows, width), weight (width). */
export function rmsNorm(x: Numbers, eps: number, weight: Numbers): Reference {
  const width = x.shape[1]!;
  const all = roots(x, eps);
  const data = Float64Array.from(x.data, (v, i) => (v / all[Math.floor(i / width)]!) * weight.data[i % width]!);
  return { data, shape: x.shape };
}

/** The gradients of sum(rmsNorm(x)·G). */
export function rmsNormBackward(G: Numbers, x: Numbers, eps: number, weight: Numbers) {
  const [, width] = x.shape as [number, number];
  const gradients = { x: zeros(...x.shape), weight: zeros(width) };
  roots(x, eps).forEach((root, r) => {
    let along = 0;
    for (let i = 0; i < width; ++i) {
      const at = r * width + i;
      along += G.data[at]! * weight.data[i]! * x.data[at]!;
      gradients.weight.data[i]! += (G.data[at]! * x.data[at]!) / root;
    }
    for (let i = 0; i < width; ++i) {
      const at = r * width + i;
      const g = G.data[at]! * weight.data[i]!;
      gradients.x.data[at] = g / root - (x.data[at]! * along) / (width * root ** 3);
    }
  });
  return gradients;
}
