import type { FigureCode } from '../shared/figure/figure-data.js';
import type { Size } from './plan.js';

/** Code that counts and times the contestants at one size. */
export function raceCode({ n, d, k }: Size): FigureCode {
  const heads = Math.max(1, d / 64);
  return {
    javascript: `import { load } from 'wasm-attention';

const { complexity, conv1d, rnn, scaledDotProductAttention, MultiHeadAttention } = await load();
const [n, d, k] = [${n}, ${d}, ${k}];
const random = (...shape) => {
  const count = shape.reduce((a, b) => a * b);
  return { data: Float32Array.from({ length: count }, () => Math.random() / Math.sqrt(d)), shape };
};
const [X, channels] = [random(1, n, d), random(1, d, n)];
const kernel = random(d, d, k);
const weights = { weightIh: random(d, d), weightHh: random(d, d) };
const layer = new MultiHeadAttention({ numHiddens: d, numHeads: ${heads} });

const mixing = complexity('self-attention', { n, d }).multiplyAdds;
const contestants = {
  cnn: [complexity('cnn', { n, d, k }).multiplyAdds, () => conv1d(channels, kernel, { padding: ${k >> 1} })],
  rnn: [complexity('rnn', { n, d }).multiplyAdds, () => rnn(X, weights)],
  attention: [mixing, () => scaledDotProductAttention(X, X, X)],
  layer: [mixing + 4 * n * d * d, () => layer.forward(X, X, X)],
};
for (const [name, [multiplyAdds, run]] of Object.entries(contestants)) {
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  const median = times.sort((a, b) => a - b)[4];
  console.log(name, multiplyAdds, 'multiply-adds,', median.toFixed(3), 'ms');
}
`,
    pytorch: `import time
import torch
import torch.nn.functional as F

torch.set_num_threads(1)  # as in the browser
n, d, k = ${n}, ${d}, ${k}
X, channels = torch.randn(1, n, d), torch.randn(1, d, n)
kernel = torch.randn(d, d, k) / (d * k) ** 0.5
rnn = torch.nn.RNN(d, d, bias=False, batch_first=True)
layer = torch.nn.MultiheadAttention(d, ${heads}, bias=False, batch_first=True)

mixing = 2 * n * n * d
contestants = {
    'cnn': (k * n * d * d, lambda: F.conv1d(channels, kernel, padding=${k >> 1})),
    'rnn': (2 * n * d * d, lambda: rnn(X)),
    'attention': (mixing, lambda: F.scaled_dot_product_attention(X, X, X)),  # since PyTorch 2.0
    'layer': (mixing + 4 * n * d * d, lambda: layer(X, X, X, need_weights=False)),
}
with torch.no_grad():
    for name, (multiply_adds, run) in contestants.items():
        times = []
        for _ in range(9):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(name, multiply_adds, 'multiply-adds,', f'{1e3 * sorted(times)[4]:.3f} ms')
`,
  };
}
