import type { FigureCode } from '../shared/figure/figure-data.js';
import { X } from './symbols.js';

/** Code for the weights of query `i`, counted from 1, and its output. */
export function formulaCode(i: number): FigureCode {
  const rows = X.map((row) => `  [${row.join(', ')}],`).join('\n');
  return {
    javascript: `import { load } from 'wasm-attention';

const { scaledDotProductAttention } = await load();
const X = [
${rows}
];
const i = ${i};

// Queries, keys and values are the same rows.
const { output, weights } = scaledDotProductAttention(X, X, X, { needWeights: true });
const [n, d] = output.shape;
console.log(...weights.data.subarray((i - 1) * n, i * n));
console.log(...output.data.subarray((i - 1) * d, i * d));
`,
    pytorch: `import torch

X = torch.tensor([
${rows}
])
i = ${i}

A = torch.softmax(X @ X.T / X.shape[1] ** 0.5, dim=-1)
Y = A @ X
print(A[i - 1], Y[i - 1])
`,
  };
}
