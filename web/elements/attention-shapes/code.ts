import type { FigureCode } from '../shared/figure/figure-data.js';
import type { Sizes } from './pipeline.js';

/** Code that prints the shapes, or the error. */
export function shapesCode({ batch, tokens, width, heads }: Sizes): FigureCode {
  return {
    javascript: `import { load } from 'wasm-attention';

const { MultiHeadAttention } = await load();
const [batch, n, d, heads] = [${batch}, ${tokens}, ${width}, ${heads}];
const X = { data: new Float32Array(batch * n * d).fill(1), shape: [batch, n, d] };

try {
  const attention = new MultiHeadAttention({ numHiddens: d, numHeads: heads });
  const { output, weights } = attention.forward(X, X, X, { needWeights: true });
  console.log(...weights.shape);
  console.log(...output.shape);
} catch (error) {
  console.log(String(error));
}
`,
    pytorch: `import torch

batch, n, d, heads = ${batch}, ${tokens}, ${width}, ${heads}
X = torch.ones(batch, n, d)

# Where heads do not divide d, this raises an AssertionError.
attention = torch.nn.MultiheadAttention(d, heads, bias=False, batch_first=True)
output, weights = attention(X, X, X, average_attn_weights=False)
print(tuple(weights.shape), tuple(output.shape))
`,
  };
}
