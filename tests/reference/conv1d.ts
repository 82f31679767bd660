import { zeros, type Numbers, type Reference } from './tensor.js';

export interface ConvolutionReferenceOptions {
  bias?: Numbers;
  stride?: number;
  padding?: number;
  dilation?: number;
  groups?: number;
}

/** Cross-correlation: x (B, Cin, n), weight (Cout, Cin/groups, k) -> (B, Cout, floor((n + 2p - d(k-1) - 1)/s) + 1). */
export function conv1d(x: Numbers, weight: Numbers, options: ConvolutionReferenceOptions = {}): Reference {
  const { bias, stride = 1, padding = 0, dilation = 1, groups = 1 } = options;
  const [B, Cin, n] = x.shape as [number, number, number];
  const [Cout, width, k] = weight.shape as [number, number, number];
  const length = Math.floor((n + 2 * padding - dilation * (k - 1) - 1) / stride) + 1;
  const y = zeros(B, Cout, length);
  for (let b = 0; b < B; ++b) {
    for (let o = 0; o < Cout; ++o) {
      const firstChannel = Math.floor(o / (Cout / groups)) * width;
      for (let i = 0; i < length; ++i) {
        let sum = bias ? bias.data[o]! : 0;
        for (let c = 0; c < width; ++c) {
          for (let t = 0; t < k; ++t) {
            const at = i * stride - padding + t * dilation;
            if (at < 0 || at >= n) continue;
            sum += weight.data[(o * width + c) * k + t]! * x.data[(b * Cin + firstChannel + c) * n + at]!;
          }
        }
        y.data[(b * Cout + o) * length + i] = sum;
      }
    }
  }
  return y;
}
