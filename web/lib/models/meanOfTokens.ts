import type { Tensor } from '../types.js';

/** The mean of each sequence's rows that are no padding; of length 1 with `normalize`. */
export function meanOfTokens({ data, shape }: Tensor, mask: Uint8Array | undefined, normalize: boolean): Tensor {
  const [batch, tokens, width] = shape as [number, number, number];
  const means = new Float32Array(batch * width);
  for (let b = 0; b < batch; ++b) {
    const sum = new Float64Array(width);
    let count = 0;
    for (let t = 0; t < tokens; ++t) {
      const row = b * tokens + t;
      if (mask?.[row] === 0) continue;
      count += 1;
      for (let i = 0; i < width; ++i) sum[i]! += data[row * width + i]!;
    }
    const length = normalize ? Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0)) || 1 : count;
    for (let i = 0; i < width; ++i) means[b * width + i] = sum[i]! / length;
  }
  return { data: means, shape: [batch, width] };
}
