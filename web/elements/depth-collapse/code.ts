import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';
import { HEADS, LAYERS, SHARPNESS, TOKENS, WIDTH, type Signal } from './stack.js';

/** Code that passes the tokens through the four stacks; each printed line is a row of the figure's table. */
export function depthCode(signal: Signal, seed: number): FigureCode {
  return { javascript: javascript(signal, seed), pytorch: pytorch(signal, seed) };
}

function javascript(signal: Signal, seed: number): string {
  const positions = signal === 'positions';
  const input = positions
    ? `// One token at every position, with the position's encoding.
const token = Float32Array.from({ length: d }, normal);
const X = sinusoidalEncoding({ length: n, dim: d }).data.map((value, k) => value + token[k % d]);`
    : 'const X = Float32Array.from({ length: n * d }, normal);';
  return `import { load } from 'wasm-attention';

const { MultiHeadAttention, TransformerEncoderLayer${positions ? ', sinusoidalEncoding' : ''} } = await load();
const [n, d, numHeads, layers, seed] = [${TOKENS}, ${WIDTH}, ${HEADS}, ${LAYERS}, ${seed}];

let state = seed;
${NORMAL_CODE}
${input}

// ‖X − mean of its rows‖ / ‖X‖
function difference({ data }) {
  let [whole, apart] = [0, 0];
  for (let c = 0; c < d; ++c) {
    let mean = 0;
    for (let i = 0; i < n; ++i) mean += data[i * d + c] / n;
    for (let i = 0; i < n; ++i) {
      whole += data[i * d + c] ** 2;
      apart += (data[i * d + c] - mean) ** 2;
    }
  }
  return Math.sqrt(apart / whole);
}

// Projections that keep lengths; those of queries and keys make them ${SHARPNESS} times as long.
function scaled(attention) {
  const gain = (name) => Math.sqrt(3) * (/W_[qk]/.test(name) ? ${SHARPNESS} : 1);
  const weights = Object.entries(attention.stateDict()).map(([name, { data, shape }]) => {
    return [name, { data: data.map((weight) => gain(name) * weight), shape }];
  });
  const state = Object.fromEntries(weights);
  attention.loadStateDict(state);
  const joined = ['q', 'k', 'v'].flatMap((name) => [...state[\`W_\${name}.weight\`].data]);
  return {
    'self_attn.in_proj_weight': { data: Float32Array.from(joined), shape: [3 * d, d] },
    'self_attn.out_proj.weight': state['W_o.weight'],
  };
}

// Attention alone, with residuals, post-norm layers, pre-norm layers.
let stacks = Array.from({ length: 4 }, () => ({ data: X, shape: [1, n, d] }));
console.log(0, ...stacks.map(difference));
for (let layer = 0; layer < layers; ++layer) {
  const options = { numHiddens: d, numHeads, seed: 1000 * seed + layer };
  const attention = new MultiHeadAttention(options);
  const projections = scaled(attention);
  const [post, pre] = ['post', 'pre'].map((norm) => {
    const encoder = new TransformerEncoderLayer({ ...options, ffnHiddens: 4 * d, norm });
    encoder.loadStateDict({ ...encoder.stateDict(), ...projections });
    return encoder;
  });
  const attend = (x) => attention.forward(x, x, x).output;
  const add = (x, y) => ({ data: x.data.map((value, k) => value + y.data[k]), shape: x.shape });
  const [alone, residual, postNorm, preNorm] = stacks;
  stacks = [
    attend(alone),
    add(residual, attend(residual)),
    post.forward(postNorm).output,
    pre.forward(preNorm).output,
  ];
  console.log(layer + 1, ...stacks.map(difference));
  for (const each of [attention, post, pre]) each.dispose();
}
`;
}

function pytorch(signal: Signal, seed: number): string {
  const input =
    signal === 'positions'
      ? `# One token at every position, with the position's encoding.
omega = 10000.0 ** (-torch.arange(0, d, 2) / d)
angles = torch.arange(n)[:, None] * omega
X = torch.randn(d) + torch.stack([torch.sin(angles), torch.cos(angles)], -1).flatten(1)`
      : 'X = torch.randn(n, d)';
  return `import torch
from torch import nn

# Other random numbers than the figure's: the columns are alike, not the same.
torch.manual_seed(${seed})
n, d, heads, layers = ${TOKENS}, ${WIDTH}, ${HEADS}, ${LAYERS}
${input}


def difference(x):
    return ((x - x.mean(0)).norm() / x.norm()).item()


def encoder(norm_first):
    return nn.TransformerEncoderLayer(d, heads, 4 * d, batch_first=True, norm_first=norm_first).eval()


# Attention alone, with residuals, post-norm layers, pre-norm layers.
stacks = [X] * 4
print(0, *map(difference, stacks))
with torch.no_grad():
    for layer in range(layers):
        post, pre = encoder(False), encoder(True)
        # Projections that keep lengths; those of queries and keys make them ${SHARPNESS} times as long.
        for weight, gain in zip(post.self_attn.in_proj_weight.chunk(3), (${SHARPNESS}, ${SHARPNESS}, 1)):
            nn.init.normal_(weight, std=gain / d**0.5)
        nn.init.normal_(post.self_attn.out_proj.weight, std=1 / d**0.5)
        pre.load_state_dict(post.state_dict())
        alone, residual, post_norm, pre_norm = stacks
        attend = lambda x: post.self_attn(x, x, x, need_weights=False)[0]
        stacks = [attend(alone), residual + attend(residual), post(post_norm[None])[0], pre(pre_norm[None])[0]]
        print(layer + 1, *map(difference, stacks))
`;
}
