import type { FigureCode } from '../shared/figure/figure-data.js';
import { TOKENS, type BiasSettings } from './bias.js';

/** Code that prints the map, one row per query. */
export function biasCode(settings: BiasSettings): FigureCode {
  return { javascript: javascript(settings), pytorch: pytorch(settings) };
}

function javascript(settings: BiasSettings): string {
  const { heads, head, buckets, distance, bidirectional, clip, causal } = settings;
  const made = {
    alibi: `const [heads, head] = [${heads}, ${head}];
const all = attention.alibiBias({ numHeads: heads, queryLength: n, symmetric: true }).data;
const bias = all.subarray((head - 1) * n * n, head * n * n);`,
    t5: `// Invented numbers in the place of learned ones.
const table = Array.from({ length: ${buckets} }, (_, row) => [2 * (((row + 1) * 0.618034) % 1) - 1]);
const options = { queryLength: n, bidirectional: ${bidirectional}, maxDistance: ${distance} };
const bias = attention.t5RelativeBias(table, options).data;`,
    shaw: `const clip = ${clip};
const vectors = Array.from({ length: 2 * clip + 1 }, (_, row) => [row - clip]); // each says its own offset
const [ones, zeros] = [1, 0].map((x) => ({ data: new Float32Array(n).fill(x), shape: [1, n, 1] }));
const given = { relativeKeys: vectors, needScores: 'masked' };
const bias = attention.scaledDotProductAttention(ones, zeros, zeros, given).scores.data;`,
  }[settings.scheme];
  return `import { load } from 'wasm-attention';

const attention = await load();
const n = ${TOKENS};
${made}

for (let i = 0; i < n; ++i) {
  console.log(...Array.from({ length: n }, (_, j) => ${causal ? '(j > i ? -Infinity : bias[i * n + j])' : 'bias[i * n + j]'}));
}
`;
}

function pytorch(settings: BiasSettings): string {
  const { scheme, heads, head, buckets, distance, bidirectional, clip, causal } = settings;
  const half = bidirectional ? buckets / 2 : buckets;
  const made = {
    alibi: `heads, head = ${heads}, ${head}
power = 2 ** math.floor(math.log2(heads))
slopes = [2 ** (-8 * (t + 1) / power) for t in range(power)]
slopes += [2 ** (-4 * (2 * t + 1) / power) for t in range(heads - power)]
bias = -slopes[head - 1] * offset.abs()`,
    t5: `table = 2 * (torch.arange(1, ${buckets} + 1) * 0.618034 % 1) - 1  # invented numbers in the place of learned ones
half, exact = ${half}, ${Math.floor(half / 2)}
length = ${bidirectional ? 'offset.abs()' : '(-offset).clamp(min=0)'}
far = length.clamp(min=exact)
log = exact + (torch.log(far / exact) / math.log(${distance} / exact) * (half - exact)).long()
rows = torch.where(length < exact, length, log.clamp(max=half - 1))
bias = table[rows${bidirectional ? ' + (offset > 0) * half' : ''}]`,
    shaw: `bias = offset.clamp(-${clip}, ${clip}).float()  # the offset whose vector is added to the key`,
  }[scheme];
  return `import math
import torch

n = ${TOKENS}
offset = torch.arange(n) - torch.arange(n)[:, None]  # key - query
${made}
${causal ? "bias = bias.masked_fill(offset > 0, float('-inf'))\n" : ''}
print(bias)
`;
}
