import type { FigureCode } from '../shared/figure/figure-data.js';
import { inputText } from './draws.js';

/** Code that draws, averages and compares with evaluation. */
export function dropoutCode(rate: number, seed: number, draws: number): FigureCode {
  return {
    javascript: `import { load } from 'wasm-attention';

const { scaledDotProductAttention } = await load();
const X = [
${inputText()}
];
const [dropout, seed, draws] = [${rate}, ${seed}, ${draws}];

const evaluation = scaledDotProductAttention(X, X, X).output.data;
const sum = new Float64Array(evaluation.length);
for (let k = 0; k < draws; ++k) {
  const { output } = scaledDotProductAttention(X, X, X, { dropout, seed: seed + k });
  output.data.forEach((value, i) => (sum[i] += value));
}
const squares = sum.map((value, i) => (value / draws - evaluation[i]) ** 2);
console.log(Math.sqrt(squares.reduce((a, b) => a + b, 0) / squares.length));
`,
    pytorch: `import torch

X = torch.tensor([
${inputText()}
])
p, seed, draws = ${rate}, ${seed}, ${draws}

torch.manual_seed(seed)  # another generator: other draws, the same law
weights = torch.softmax(X @ X.T / X.shape[1] ** 0.5, dim=-1)
mean = sum(torch.dropout(weights, p, train=True) @ X for _ in range(draws)) / draws
print((mean - weights @ X).square().mean().sqrt())
`,
  };
}
