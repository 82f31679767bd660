import type { FigureCode } from '../shared/figure/figure-data.js';

/** Code that prints the bits of each position beside the signs of its sines. */
export function binaryCode(rows: number, width: number, base: number): FigureCode {
  return {
    javascript: `import { load } from 'wasm-attention';

const { sinusoidalEncoding } = await load();
const rows = ${rows};
const dim = ${width};
const P = sinusoidalEncoding({ length: rows, dim, base: ${base} }).data;
const bits = Math.ceil(Math.log2(rows));

for (let i = 0; i < rows; ++i) {
  const sines = Array.from({ length: dim / 2 }, (_, k) => P[i * dim + dim - 2 - 2 * k]);
  console.log(i.toString(2).padStart(bits, '0'), sines.map((sine) => '−0+'[Math.sign(sine) + 1]).join(''));
}
`,
    pytorch: `import math
import torch

rows, dim = ${rows}, ${width}
omega = ${base.toFixed(1)} ** (-torch.arange(0, dim, 2) / dim)
sines = torch.sin(torch.arange(rows)[:, None] * omega).flip(-1)
bits = math.ceil(math.log2(rows))

for i in range(rows):
    print(f"{i:0{bits}b}", "".join("−0+"[int(sine.sign()) + 1] for sine in sines[i]))
`,
  };
}
