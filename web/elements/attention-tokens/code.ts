import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';

/** The settings of `<attention-tokens>`, with the sentences as lower-case tokens. */
export interface TokensSettings {
  readonly queries: readonly string[];
  /** The second sentence, for cross-attention. */
  readonly keys: readonly string[] | undefined;
  readonly positions: boolean;
  readonly causal: boolean;
  readonly seed: number;
}

/** Code that computes the weights of every head; each printed row is a row of the figure's table. */
export function tokensCode(settings: TokensSettings): FigureCode {
  return { javascript: javascript(settings), pytorch: pytorch(settings) };
}

function javascript({ queries, keys, positions, causal, seed }: TokensSettings): string {
  return `import { load } from 'wasm-attention';

const { MultiHeadAttention, encodingRotation, sinusoidalEncoding } = await load();
const queries = ${JSON.stringify(queries)};
const keys = ${keys === undefined ? 'queries' : JSON.stringify(keys)};
const [half, width] = [32, 64]; // a token's embedding, then its position
const kinds = ['same', 'previous', 'next', 'near', 'random', 'random'];

/** Standard normal numbers, the same for the same seed. */
function normalDraws(count, seed) {
  let state = seed | 0;
  ${NORMAL_CODE.replaceAll('\n', '\n  ')}
  return Float32Array.from({ length: count }, normal);
}

/** (1, n, width): the token's text is the seed of its embedding, so equal tokens have equal ones. */
function vectors(tokens) {
  const data = new Float32Array(tokens.length * width);
  const P = sinusoidalEncoding({ length: tokens.length, dim: half }).data;
  tokens.forEach((token, row) => {
    let hash = 0x811c9dc5;
    for (let i = 0; i < token.length; ++i) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
    const draws = normalDraws(half, hash);
    const norm = Math.sqrt(half / 2) / Math.hypot(...draws); // as long as a row of P
    data.set(draws.map((draw) => draw * norm), row * width);
${positions ? '    data.set(P.subarray(row * half, (row + 1) * half), row * width + half);\n' : ''}  });
  return { data, shape: [1, tokens.length, width] };
}

/** 2×2 matrices along the diagonal, over the embedding (from = 0) or the position (from = half). */
function place(block, pairs, from, factor) {
  pairs.forEach((value, i) => {
    const [pair, row, column] = [i >> 2, (i >> 1) & 1, i & 1];
    block[(2 * pair + row) * width + from + 2 * pair + column] = factor * value;
  });
}

const Wq = new Float32Array(kinds.length * half * width);
const Wk = new Float32Array(Wq.length);
const factors = { same: 0.4, previous: 8, next: 8, near: 0.6 };
kinds.forEach((kind, head) => {
  const [start, end] = [head * half * width, (head + 1) * half * width];
  if (kind === 'random') {
    const draws = normalDraws(2 * half * width, ${seed} + 1000 * head).map((draw) => 0.25 * draw);
    Wq.set(draws.subarray(0, half * width), start);
    Wk.set(draws.subarray(half * width), start);
  } else {
    const delta = kind === 'previous' ? -1 : kind === 'next' ? 1 : 0; // turns a position into its neighbour's
    const from = kind === 'same' ? 0 : half;
    place(Wq.subarray(start, end), encodingRotation({ delta, dim: half }).data, from, factors[kind] * Math.sqrt(half));
    place(Wk.subarray(start, end), encodingRotation({ delta: 0, dim: half }).data, from, 1);
  }
});

const layer = new MultiHeadAttention({
  numHiddens: kinds.length * half,
  numHeads: kinds.length,
  querySize: width,
  keySize: width,
  valueSize: width,
});
const shape = [kinds.length * half, width];
layer.loadStateDict({
  ...layer.stateDict(),
  'W_q.weight': { data: Wq, shape },
  'W_k.weight': { data: Wk, shape },
});
const memory = vectors(keys);
const { weights } = layer.forward(vectors(queries), memory, memory, { isCausal: ${causal}, needWeights: true });

for (let row = 0; row < kinds.length * queries.length; ++row) {
  const values = weights.data.subarray(row * keys.length, (row + 1) * keys.length);
  const bits = values.reduce((sum, w) => (w > 0 ? sum - w * Math.log2(w) : sum), 0);
  console.log(Math.floor(row / queries.length) + 1, queries[row % queries.length], ...values, bits);
}
`;
}

function pytorch({ queries, keys, positions, causal, seed }: TokensSettings): string {
  return `import zlib

import torch

queries = ${JSON.stringify(queries)}
keys = ${keys === undefined ? 'queries' : JSON.stringify(keys)}
half = 32  # a token's embedding, then its position
omega = 10000.0 ** (-torch.arange(0, half, 2) / half)


def vectors(tokens):
    """(n, 64). Other draws than the figure's, but equal tokens have equal embeddings here too."""
    seeds = [torch.Generator().manual_seed(zlib.crc32(token.encode())) for token in tokens]
    E = torch.stack([torch.randn(half, generator=seed) for seed in seeds])
    E = E / E.norm(dim=1, keepdim=True) * (half / 2) ** 0.5
    angles = torch.arange(len(tokens))[:, None] * omega
    P = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return torch.cat([E, ${positions ? 'P' : 'torch.zeros_like(P)'}], 1)


def turn(delta):
    """(half, half): takes the position p_i to p_{i + delta}."""
    cos, sin = torch.cos(delta * omega), torch.sin(delta * omega)
    return torch.block_diag(*torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2))


I, O = torch.eye(half), torch.zeros(half, half)
torch.manual_seed(${seed})
heads = [  # (W_q, W_k), each (32, 64)
    (0.4 * half**0.5 * torch.cat([I, O], 1), torch.cat([I, O], 1)),  # same token
    (8 * half**0.5 * torch.cat([O, turn(-1)], 1), torch.cat([O, I], 1)),  # previous token
    (8 * half**0.5 * torch.cat([O, turn(1)], 1), torch.cat([O, I], 1)),  # next token
    (0.6 * half**0.5 * torch.cat([O, I], 1), torch.cat([O, I], 1)),  # tokens nearby
    *[(0.25 * torch.randn(half, 2 * half), 0.25 * torch.randn(half, 2 * half)) for _ in range(2)],
]
X, Z = vectors(queries), vectors(keys)
for W_q, W_k in heads:
    scores = (X @ W_q.T) @ (Z @ W_k.T).T / half**0.5
${causal ? '    scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)\n' : ''}    weights = scores.softmax(-1)
    bits = -torch.special.xlogy(weights, weights).sum(-1) / torch.log(torch.tensor(2.0))
    print(weights, bits)
`;
}
