import type { FigureCode } from '../shared/figure/figure-data.js';
import type { Point, Scene } from './scene.js';

/** Code that computes the scene's attention. */
export function lookupCode({ query, keys, values, valid, temperature }: Scene): FigureCode {
  const rows = (points: readonly Point[]): string => `[${points.map(row).join(', ')}]`;
  const row = ([x, y]: Point): string => `[${x}, ${y}]`;
  return {
    javascript: `import { load } from 'wasm-attention';

const { scaledDotProductAttention } = await load();
const query = [${row(query)}];
const keys = ${rows(keys)};
const values = ${rows(values)};

const { scores, weights, output } = scaledDotProductAttention(query, keys, values, {
  scale: 1 / (${temperature} * Math.sqrt(2)), // temperature ${temperature}
  validLens: [${valid}],
  needScores: 'masked',
  needWeights: true,
});
console.log(...scores.data);
console.log(...weights.data);
console.log(...output.data);
`,
    pytorch: `import torch

query = torch.tensor([${row(query)}])
keys = torch.tensor(${rows(keys)})
values = torch.tensor(${rows(values)})
valid, temperature = ${valid}, ${temperature}

scores = query @ keys.T / (temperature * 2 ** 0.5)
scores[:, valid:] = float('-inf')
weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)  # no valid key: zeros
print(scores, weights, weights @ values)
`,
  };
}
