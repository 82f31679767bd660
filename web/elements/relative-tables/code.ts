import type { FigureCode } from '../shared/figure/figure-data.js';
import { RATE, STEPS, TOKENS, type RelativeTask } from './learning.js';

/** Code that learns the table of `task` and prints it. */
export function relativeCode(task: RelativeTask): FigureCode {
  return { javascript: javascript(task), pytorch: pytorch(task) };
}

function javascript({ kind, clip, buckets, target }: RelativeTask): string {
  const shaw = kind === 'shaw';
  return `import { load } from 'wasm-attention';

const attention = await load();
const [n, target] = [${TOKENS}, ${target}];
${shaw ? `const clip = ${clip};\nlet table = new Float32Array(2 * clip + 1);` : `const distances = { queryLength: n, maxDistance: n };\nlet table = new Float32Array(${buckets});`}
const query = { data: new Float32Array(n).fill(1), shape: [1, n, 1] };
const key = { data: new Float32Array(n), shape: [1, n, 1] };
const value = { data: Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0)), shape: [1, n, n] };
const queries = [...Array(n).keys()].filter((i) => i + target >= 0 && i + target < n);
const at = (i) => i * n + i + target;
const options = () => {
  const rows = { data: table, shape: [table.length, 1] };
  return ${shaw ? '{ relativeKeys: rows }' : '{ bias: attention.t5RelativeBias(rows, distances) }'};
};
const attend = () => attention.scaledDotProductAttention(query, key, value, options()).output.data;

for (let step = 0; step < ${STEPS}; ++step) {
  const weights = attend();
  const gradOutput = { data: new Float32Array(n * n), shape: [1, n, n] };
  for (const i of queries) gradOutput.data[at(i)] = -1 / (queries.length * weights[at(i)]);
  const gradients = attention.scaledDotProductAttentionBackward(gradOutput, query, key, value, options());
  const gradTable = ${shaw ? 'gradients.relativeKeys' : 'attention.t5RelativeBiasBackward(gradients.bias, { ...distances, numBuckets: table.length })'};
  table = table.map((number, row) => number - ${RATE} * gradTable.data[row]);
}

const weights = attend();
console.log(...table);
console.log(queries.reduce((sum, i) => sum + weights[at(i)], 0) / queries.length);
`;
}

function pytorch({ kind, clip, buckets, target }: RelativeTask): string {
  const rows =
    kind === 'shaw'
      ? `rows = offset.clamp(-${clip}, ${clip}) + ${clip}
table = torch.zeros(${2 * clip + 1}, requires_grad=True)`
      : `half, exact = ${buckets / 2}, ${Math.floor(buckets / 4)}
far = offset.abs().clamp(min=exact)
log = exact + (torch.log(far / exact) / math.log(n / exact) * (half - exact)).long()
near = torch.where(offset.abs() < exact, offset.abs(), log.clamp(max=half - 1))
rows = near + (offset > 0) * half
table = torch.zeros(${buckets}, requires_grad=True)`;
  return `import math
import torch

n, target = ${TOKENS}, ${target}
offset = torch.arange(n) - torch.arange(n)[:, None]  # key - query
${rows}
queries = torch.arange(max(0, -target), min(n, n - target))

for step in range(${STEPS}):
    weights = torch.softmax(table[rows], -1)
    loss = -torch.log(weights[queries, queries + target]).mean()
    (gradient,) = torch.autograd.grad(loss, table)
    table = (table - ${RATE} * gradient).detach().requires_grad_()

print(table, torch.softmax(table[rows], -1)[queries, queries + target].mean())
`;
}
