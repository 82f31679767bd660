import { LAYERS, TOKENS, WIDTH, type Signal } from './depth-stack.js';
import type { FigureCode } from './figure-element.js';

/** Code that stacks random attention layers and prints how different the tokens still are after each. */
export function depthCode(signal: Signal, seed: number, depth: number): FigureCode {
  const input = {
    tokens: {
      javascript: `const X = normal(n * d);`,
      pytorch: `X = torch.randn(n, d)`,
    },
    positions: {
      javascript: `const token = normal(d);
const P = attention.sinusoidalEncoding({ length: n, dim: d }).data;
const X = P.map((value, k) => value + token[k % d]);`,
      pytorch: `omega = 10000.0 ** (-torch.arange(0, d, 2) / d)
angles = torch.arange(n)[:, None] * omega
X = torch.randn(d) + torch.stack([torch.sin(angles), torch.cos(angles)], -1).flatten(1)`,
    },
  }[signal];
  return {
    javascript: `import { load } from 'wasm-attention';

const attention = await load();
const [n, d, layers] = [${TOKENS}, ${WIDTH}, ${depth}]; // up to ${LAYERS}
const normal = (count) =>
  Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random()));
${input.javascript}

function difference(x) {
  const mean = Float64Array.from({ length: d }, (_, c) => x.reduce((sum, value, k) => (k % d === c ? sum + value / n : sum), 0));
  const square = (values) => values.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(square(x.map((value, k) => value - mean[k % d])) / square(x));
}

for (const residual of [false, true]) {
  let x = { data: X, shape: [1, n, d] };
  for (let layer = 0; layer < layers; ++layer) {
    const { MultiHeadAttention } = attention;
    const attend = new MultiHeadAttention({ numHiddens: d, numHeads: 4, seed: ${seed * 1000} + layer });
    for (const parameter of attend.parameters()) {
      const factor = Math.sqrt(3) * (/W_[qk]/.test(parameter.name) ? 2 : 1);
      parameter.set(parameter.data.map((weight) => weight * factor));
    }
    const y = attend.forward(x, x, x).output;
    x = residual ? { data: x.data.map((value, k) => value + y.data[k]), shape: x.shape } : y;
    attend.dispose();
  }
  console.log(residual ? 'with residuals' : 'attention alone', difference(x.data));
}
`,
    pytorch: `import torch
from torch import nn

torch.manual_seed(${seed})
n, d, layers = ${TOKENS}, ${WIDTH}, ${depth}  # up to ${LAYERS}
${input.pytorch}

def difference(x):
    return ((x - x.mean(0)).norm() / x.norm()).item()

for residual in (False, True):
    x = X
    for layer in range(layers):
        attend = nn.MultiheadAttention(d, 4, bias=False)
        with torch.no_grad():
            for weight, gain in zip(attend.in_proj_weight.chunk(3), (2, 2, 1)):
                nn.init.normal_(weight, std=gain / d**0.5)
            nn.init.normal_(attend.out_proj.weight, std=1 / d**0.5)
            y = attend(x, x, x, need_weights=False)[0]
        x = x + y if residual else y
    print("with residuals" if residual else "attention alone", difference(x))
`,
  };
}
