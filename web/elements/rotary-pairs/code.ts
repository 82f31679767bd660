import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';
import { WIDTH } from './turning.js';

/** Code that prints θ and the product of each pair, and then the sum. */
export function rotaryCode(query: number, key: number, seed: number): FigureCode {
  return {
    javascript: `import { load } from 'wasm-attention';

const { rotaryEmbedding } = await load();
const [i, j, dim] = [${query}, ${key}, ${WIDTH}];

let state = ${seed};
${NORMAL_CODE}
const draw = () => ({ data: Float32Array.from({ length: dim }, normal), shape: [1, dim] });
const [query, key] = [draw(), draw()];
const turn = (x, position) => rotaryEmbedding(x, { positions: [position], interleaved: true }).data;
const [q, k] = [turn(query, i), turn(key, j)];

let sum = 0;
for (let r = 0; r < dim / 2; ++r) {
  const product = q[2 * r] * k[2 * r] + q[2 * r + 1] * k[2 * r + 1];
  console.log(10000 ** ((-2 * r) / dim), product);
  sum += product;
}
console.log(sum);
`,
    pytorch: `import torch

i, j, dim = ${query}, ${key}, ${WIDTH}
torch.manual_seed(${seed})  # other draws than the figure's
query, key = torch.randn(dim // 2, dtype=torch.cfloat), torch.randn(dim // 2, dtype=torch.cfloat)

theta = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
q, k = query * torch.exp(1j * i * theta), key * torch.exp(1j * j * theta)  # a pair is a complex number
products = (q * k.conj()).real
print(theta, products, products.sum())
`,
  };
}
