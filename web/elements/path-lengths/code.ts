import type { FigureCode } from '../shared/figure/figure-data.js';

/** Code that computes the path lengths between tokens i ≤ j of n, counted from 1, with kernels of k. */
export function pathLengthsCode({ n, k, i, j }: Readonly<Record<'n' | 'k' | 'i' | 'j', number>>): FigureCode {
  return {
    javascript: `import { load } from 'wasm-attention';

const { complexity } = await load();
const [n, k, i, j] = [${n}, ${k}, ${i}, ${j}];

for (const architecture of ['cnn', 'rnn', 'self-attention']) {
  // As far as from the first to the last of j − i + 1 tokens; a token needs no path to itself.
  const between = i === j ? 0 : complexity(architecture, { n: j - i + 1, d: 1, k }).maximumPathLength;
  const longest = complexity(architecture, { n, d: 1, k }).maximumPathLength;
  console.log(architecture, between, longest);
}
`,
    pytorch: `import torch
import torch.nn.functional as F

n, k, i, j = ${n}, ${k}, ${i}, ${j}

# What depends on token i, and on token j, spreads by one kernel a layer until some unit depends on both.
seen = torch.zeros(2, 1, n)
seen[0, 0, i - 1] = seen[1, 0, j - 1] = 1
layers = 0
while not seen.prod(dim=0).any():
    seen = (F.conv1d(seen, torch.ones(1, 1, k), padding='same') > 0).float()
    layers += 1

print('cnn', layers)
print('rnn', j - i + 1 if i < j else 0)  # into the state, and on from state to state
print('self-attention', int(i < j))
`,
  };
}
