import { DEFAULTS, type Positions, type Task } from '../../training/index.js';
import type { FigureCode } from '../shared/figure/figure-data.js';

/** Code that trains the figure's model and prints its loss. */
export function trainingCode(task: Task, positions: Positions, seed: number, steps = DEFAULTS.steps): FigureCode {
  return {
    javascript: javascript(task, positions, seed, steps),
    pytorch: pytorch(task, positions, seed, steps),
  };
}

/** How the code makes each kind of positions, passes it to the encoder and learns from its gradients. */
const JAVASCRIPT: Record<
  Positions,
  { make?: string; encoder?: string; add?: string; options?: string; back?: string }
> = {
  none: {},
  sinusoidal: {
    make: 'const positions = new attention.PositionalEncoding({ numHiddens: d });',
    add: 'positions',
  },
  learned: {
    make: 'const positions = new attention.LearnedPositionalEncoding({ numHiddens: d, maxLen: n, seed });\nmakeSmall(positions);',
    add: 'positions',
  },
  rotary: { encoder: ', rotary: {}' },
  alibi: {
    make: 'const bias = attention.alibiBias({ numHeads, queryLength: n, symmetric: true });',
    options: ', bias',
  },
  shaw: {
    make: `const clip = 8;
const [keys, values] = [1, 2].map(
  (k) => new attention.Embedding({ numEmbeddings: 2 * clip + 1, dim: d / numHeads, seed: seed + k }),
);
[keys, values].forEach(makeSmall);
const rows = Array.from({ length: 2 * clip + 1 }, (_, row) => row);`,
    options: ', relativeKeys: k.output, relativeValues: v.output',
    back: `
  k.backward(gradients.relativeKeys);
  v.backward(gradients.relativeValues);`,
  },
};

function javascript(task: Task, kind: Positions, seed: number, steps: number): string {
  const { numHiddens, numHeads, ffnHiddens, length, batch, vocabulary, distance, learningRate } = DEFAULTS;
  const { make = '', encoder = '', add, options = '', back = '' } = JAVASCRIPT[kind];
  const learned = [...(kind === 'learned' ? ['positions'] : []), ...(kind === 'shaw' ? ['keys', 'values'] : [])];
  return `import { load } from 'wasm-attention';

// Other first weights and sequences than the figure's: the loss falls much alike, not by the same numbers.
const attention = await load();
const [d, numHeads, n, batch, vocabulary, seed] = [${numHiddens}, ${numHeads}, ${length}, ${batch}, ${vocabulary}, ${seed}];
const makeSmall = (layer) => layer.parameters().forEach((p) => p.set(p.data.map((x) => 0.3 * x)));
const embedding = new attention.Embedding({ numEmbeddings: vocabulary, dim: d, seed });
makeSmall(embedding);
const encoder = new attention.TransformerEncoderLayer({ numHiddens: d, numHeads, ffnHiddens: ${ffnHiddens}, seed: seed + 3${encoder} });
const head = new attention.Linear({ inFeatures: d, outFeatures: vocabulary, seed: seed + 4 });
${make === '' ? '' : `${make}\n`}const layers = [embedding, encoder, head${learned.map((name) => `, ${name}`).join('')}];
const adam = new attention.Adam(layers.flatMap((layer) => layer.parameters()), { lr: ${learningRate} });

// Shuffles of all tokens; the answer is ${task === 'copy' ? `the token ${distance} places back, where there is one` : 'the sequence from its end'}.
function draw() {
  const tokens = new Int32Array(batch * n);
  const targets = new Int32Array(batch * n).fill(-100);
  for (let first = 0; first < tokens.length; first += n) {
    const x = tokens.subarray(first, first + n);
    for (let i = 0; i < n; ++i) x[i] = i % vocabulary;
    for (let i = n - 1; i > 0; --i) {
      const j = Math.floor(Math.random() * (i + 1));
      [x[i], x[j]] = [x[j], x[i]];
    }
    for (let i = ${task === 'copy' ? distance : 0}; i < n; ++i) targets[first + i] = x[${task === 'copy' ? `i - ${distance}` : 'n - 1 - i'}];
  }
  return { tokens, targets };
}

for (let step = 1; step <= ${steps}; ++step) {
  const { tokens, targets } = draw();
  const embedded = embedding.forward({ data: tokens, shape: [batch, n] }, { training: true });
${kind === 'shaw' ? '  const [k, v] = [keys, values].map((table) => table.forward(rows, { training: true }));\n' : ''}${add ? `  const placed = ${add}.forward(embedded.output, { training: true });\n` : ''}  const encoded = encoder.forward(${add ? 'placed' : 'embedded'}.output, { training: true${options} });
  const scored = head.forward({ data: encoded.output.data, shape: [batch * n, d] }, { training: true });
  const { loss, gradLogits } = attention.softmaxCrossEntropy(scored.output, targets);
  adam.zeroGrad();
  const { data } = scored.backward(gradLogits).input;
  const gradients = encoded.backward({ data, shape: [batch, n, d] });
  embedded.backward(${add ? 'placed.backward(gradients.input).input' : 'gradients.input'});${back}
  adam.step();
  if (step % 50 === 0) console.log(step, loss);
}
`;
}

/** The positions in PyTorch: added to the tokens or the scores, or applied to queries and keys. */
const PYTORCH: Record<Positions, { make: string; add: string; scores: string; turn: string; values: string }> = (() => {
  const nothing = { make: '', add: 'x', scores: '', turn: '', values: '' };
  return {
    none: nothing,
    sinusoidal: {
      ...nothing,
      make: `angle = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
P = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)\n`,
      add: 'x + P',
    },
    learned: { ...nothing, make: 'P = nn.Parameter(0.3 * torch.randn(n, d))\n', add: 'x + P' },
    rotary: {
      ...nothing,
      make: `angle = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d // heads, 2) / (d // heads))
def turn(x):
    a, b = x.chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)\n`,
      turn: '\n    q, k = turn(q), turn(k)',
    },
    alibi: {
      ...nothing,
      make: `slope = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
bias = -slope[:, None, None] * (torch.arange(n)[:, None] - torch.arange(n)).abs()\n`,
      scores: ' + bias',
    },
    shaw: {
      ...nothing,
      make: `row = (torch.arange(n) - torch.arange(n)[:, None]).clamp(-8, 8) + 8
K, V = (nn.Parameter(0.3 * torch.randn(17, d // heads)) for _ in range(2))\n`,
      scores: ' + torch.einsum("bhie,ije->bhij", q, K[row]) / (d // heads) ** 0.5',
      values: ' + torch.einsum("bhij,ije->bhie", w, V[row])',
    },
  };
})();

function pytorch(task: Task, kind: Positions, seed: number, steps: number): string {
  const { numHiddens, numHeads, ffnHiddens, length, batch, vocabulary, distance, learningRate } = DEFAULTS;
  const { make, add, scores, turn, values } = PYTORCH[kind];
  const learned = { learned: ', P', shaw: ', K, V' }[kind as string] ?? '';
  return `import torch
from torch import nn
from torch.nn import functional as F

# Other first weights and sequences than the figure's: the loss falls much alike, not by the same numbers.
torch.manual_seed(${seed})
d, heads, n, batch, vocabulary = ${numHiddens}, ${numHeads}, ${length}, ${batch}, ${vocabulary}
embedding = nn.Embedding(vocabulary, d)
embedding.weight.data *= 0.3
qkv, out = nn.Linear(d, 3 * d), nn.Linear(d, d)
ffn = nn.Sequential(nn.Linear(d, ${ffnHiddens}), nn.ReLU(), nn.Linear(${ffnHiddens}, d))
norm1, norm2, head = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(d, vocabulary)
${make}modules = nn.ModuleList([embedding, qkv, out, ffn, norm1, norm2, head])
adam = torch.optim.Adam([*modules.parameters()${learned}], lr=${learningRate})

for step in range(1, ${steps + 1}):
    tokens = torch.rand(batch, n).argsort(-1) % vocabulary
    targets = ${task === 'reverse' ? 'tokens.flip(-1)' : `F.pad(tokens, (${distance}, 0), value=-100)[:, :n]`}
    x = embedding(tokens)
    x = ${add}
    q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in qkv(x).chunk(3, -1))${turn}
    w = torch.softmax(q @ k.mT / (d // heads) ** 0.5${scores}, -1)
    y = w @ v${values}
    x = norm1(x + out(y.transpose(1, 2).flatten(2)))
    x = norm2(x + ffn(x))
    loss = F.cross_entropy(head(x).flatten(0, 1), targets.flatten())
    adam.zero_grad()
    loss.backward()
    adam.step()
    if step % 50 == 0:
        print(step, loss.item())
`;
}
