import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';
import { COUNT, NUM_HEADS, WIDTH, type Order } from './permutation.js';

/** The settings of `<permutation-demo>`, with its tokens. */
export interface PermutationSettings {
  readonly tokens: readonly string[];
  readonly order: Order;
  readonly positions: boolean;
  readonly causal: boolean;
}

/** Code that runs f in both orders and prints the residual. */
export function permutationCode(settings: PermutationSettings): FigureCode {
  return { javascript: javascript(settings), pytorch: pytorch(settings) };
}

function javascript({ tokens, order, positions, causal }: PermutationSettings): string {
  return `import { load } from 'wasm-attention';

const { MultiHeadAttention, sinusoidalEncoding } = await load();
const tokens = ${JSON.stringify(tokens)};
const order = [${order.join(', ')}]; // at each place the number of the token that moves there
const [count, width] = [${COUNT}, ${WIDTH}];

/** The token's text is the seed of its normal draws, which are then stretched to length 2√width. */
function embedding(token) {
  let state = 0x811c9dc5;
  for (let i = 0; i < token.length; ++i) state = Math.imul(state ^ token.charCodeAt(i), 0x01000193);
  ${NORMAL_CODE.replaceAll('\n', '\n  ')}
  const draws = Float32Array.from({ length: width }, normal);
  const norm = Math.hypot(...draws);
  return draws.map((draw) => (draw / norm) * 2 * Math.sqrt(width));
}

const layer = new MultiHeadAttention({ numHiddens: width, numHeads: ${NUM_HEADS}, seed: 1 });
${positions ? 'const encoding = sinusoidalEncoding({ length: count, dim: width }).data;\n' : ''}const f = (rows) => {
  const data = Float32Array.from(rows.flatMap((row) => [...row]))${positions ? '.map((x, i) => x + encoding[i])' : ''};
  const X = { data, shape: [1, count, width] };
  const { output } = layer.forward(X, X, X, { isCausal: ${causal} });
  return rows.map((_, i) => output.data.subarray(i * width, (i + 1) * width));
};
const P = (rows) => order.map((number) => rows[number - 1]);

const X = tokens.map(embedding);
const [fPX, PfX] = [f(P(X)), P(f(X))];
fPX.forEach((row) => console.log(...row));
console.log(Math.max(...fPX.flatMap((row, i) => Array.from(row, (z, j) => Math.abs(z - PfX[i][j])))));
`;
}

function pytorch({ tokens, order, positions, causal }: PermutationSettings): string {
  const mask = causal ? `torch.ones(${COUNT}, ${COUNT}).triu(1).bool()` : 'None';
  return `import zlib

import torch
from torch import nn

tokens = ${JSON.stringify(tokens)}
order = torch.tensor([${order.join(', ')}]) - 1
seeds = [torch.Generator().manual_seed(zlib.crc32(token.encode())) for token in tokens]
X = 2 * torch.stack([torch.randn(${WIDTH}, generator=seed) for seed in seeds])  # other draws than the figure's

torch.manual_seed(1)
layer = nn.MultiheadAttention(${WIDTH}, ${NUM_HEADS}, bias=False, batch_first=True)
angles = torch.arange(${COUNT})[:, None] * 10000.0 ** (-torch.arange(0, ${WIDTH}, 2) / ${WIDTH})
encoding = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
mask = ${mask}  # True: masked


def f(X):
    X = X${positions ? ' + encoding' : ''}
    return layer(X[None], X[None], X[None], attn_mask=mask)[0][0]


print((f(X[order]) - f(X)[order]).abs().max())
`;
}
