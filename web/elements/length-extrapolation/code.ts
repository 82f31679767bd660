import type { FigureCode } from '../shared/figure/figure-data.js';
import { COMPARED, LENGTHS, STEPS, TRAINED } from './runs.js';

/**
 * Code that trains one of the models, the one with ALiBi because it needs the fewest lines, and tests it on longer
 * sequences.
 */
export function extrapolationCode(seed: number): FigureCode {
  const lengths = LENGTHS.join(', ');
  return {
    javascript: `import { load } from 'wasm-attention';

// Positions by ALiBi; web/training in the library's repository compares ${COMPARED.length} kinds. Other first weights and sequences than the
// figure's: the accuracies are alike, not the same.
const attention = await load();
const [d, numHeads, n, batch, vocabulary, seed] = [64, 4, ${TRAINED}, 32, 32, ${seed}];
const embedding = new attention.Embedding({ numEmbeddings: vocabulary, dim: d, seed });
embedding.parameters().forEach((p) => p.set(p.data.map((x) => 0.3 * x)));
const encoder = new attention.TransformerEncoderLayer({ numHiddens: d, numHeads, ffnHiddens: 128, seed: seed + 1 });
const head = new attention.Linear({ inFeatures: d, outFeatures: vocabulary, seed: seed + 2 });
const adam = new attention.Adam([embedding, encoder, head].flatMap((layer) => layer.parameters()), { lr: 3e-3 });

// Shuffles of all tokens; the answer is the token before.
function draw(count, length) {
  const tokens = new Int32Array(count * length);
  for (let first = 0; first < tokens.length; first += length) {
    const x = tokens.subarray(first, first + length);
    for (let i = 0; i < length; ++i) x[i] = i % vocabulary;
    for (let i = length - 1; i > 0; --i) {
      const j = Math.floor(Math.random() * (i + 1));
      [x[i], x[j]] = [x[j], x[i]];
    }
  }
  const targets = tokens.map((_, i) => (i % length === 0 ? -100 : tokens[i - 1]));
  return { tokens, targets };
}

function forward(tokens, count, length, training) {
  const embedded = embedding.forward({ data: tokens, shape: [count, length] }, { training });
  const bias = attention.alibiBias({ numHeads, queryLength: length, symmetric: true });
  const encoded = encoder.forward(embedded.output, { training, bias, isCausal: true });
  const scored = head.forward({ data: encoded.output.data, shape: [count * length, d] }, { training });
  return { embedded, encoded, scored };
}

for (let step = 1; step <= ${STEPS}; ++step) {
  const { tokens, targets } = draw(batch, n);
  const { embedded, encoded, scored } = forward(tokens, batch, n, true);
  const { gradLogits } = attention.softmaxCrossEntropy(scored.output, targets);
  adam.zeroGrad();
  const { data } = scored.backward(gradLogits).input;
  embedded.backward(encoded.backward({ data, shape: [batch, n, d] }).input);
  adam.step();
}

for (const length of [${lengths}]) {
  const { tokens, targets } = draw(16, length);
  const { data } = forward(tokens, 16, length, false).scored.output;
  let [right, asked] = [0, 0];
  targets.forEach((target, i) => {
    if (target < 0) return;
    const scores = data.subarray(i * vocabulary, (i + 1) * vocabulary);
    ++asked;
    if (scores.indexOf(Math.max(...scores)) === target) ++right;
  });
  console.log(length, right / asked);
}
`,
    pytorch: `import torch
from torch import nn
from torch.nn import functional as F

# Positions by ALiBi. Other first weights and sequences than the figure's: the accuracies are alike, not the same.
torch.manual_seed(${seed})
d, heads, n, batch, vocabulary = 64, 4, ${TRAINED}, 32, 32
embedding = nn.Embedding(vocabulary, d)
embedding.weight.data *= 0.3
qkv, out = nn.Linear(d, 3 * d), nn.Linear(d, d)
ffn = nn.Sequential(nn.Linear(d, 128), nn.ReLU(), nn.Linear(128, d))
norm1, norm2, head = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(d, vocabulary)
modules = nn.ModuleList([embedding, qkv, out, ffn, norm1, norm2, head])
adam = torch.optim.Adam(modules.parameters(), lr=3e-3)

def draw(count, length):
    rounds = torch.arange(length) % vocabulary
    tokens = torch.stack([rounds[torch.randperm(length)] for _ in range(count)])
    return tokens, F.pad(tokens, (1, 0), value=-100)[:, :length]

def forward(tokens):
    x = embedding(tokens)
    q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in qkv(x).chunk(3, -1))
    i = torch.arange(tokens.shape[1])
    slope = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    bias = -slope[:, None, None] * (i[:, None] - i).abs()
    bias = bias.masked_fill(i > i[:, None], float("-inf"))
    w = torch.softmax(q @ k.mT / (d // heads) ** 0.5 + bias, -1)
    x = norm1(x + out((w @ v).transpose(1, 2).flatten(2)))
    return head(norm2(x + ffn(x)))

for step in range(${STEPS}):
    tokens, targets = draw(batch, n)
    loss = F.cross_entropy(forward(tokens).flatten(0, 1), targets.flatten())
    adam.zero_grad()
    loss.backward()
    adam.step()

with torch.no_grad():
    for length in (${lengths}):
        tokens, targets = draw(16, length)
        print(length, (forward(tokens).argmax(-1) == targets)[:, 1:].float().mean().item())
`,
  };
}
