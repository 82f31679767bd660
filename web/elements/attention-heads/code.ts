import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';
import { BATCH, NUM_HEADS, NUM_HIDDENS, perQuery, TOKENS, type HeadsSettings } from './textbook-case.js';

/** Code that computes the weights of every head; each printed row is a row of the figure's table. */
export function headsCode(settings: HeadsSettings): FigureCode {
  return { javascript: javascript(settings), pytorch: pytorch(settings) };
}

/** `[3, 2]`, or `[[1, 2, 3, 4], [1, 2, 2, 0]]`. */
function lensText({ lengths, validLens, queryLens }: HeadsSettings): string {
  const row = (lens: readonly number[]): string => `[${lens.join(', ')}]`;
  return lengths === 'query' ? `[${perQuery(queryLens).map(row).join(', ')}]` : row(validLens);
}

function javascript(settings: HeadsSettings): string {
  const { input, seed } = settings;
  const draw = input === 'random';
  return `import { load } from 'wasm-attention';

const { MultiHeadAttention } = await load();
const [batch, tokens, numHiddens, numHeads] = [${BATCH}, ${TOKENS}, ${NUM_HIDDENS}, ${NUM_HEADS}];
${draw ? `\nlet state = ${seed};\n${NORMAL_CODE}\n\n` : ''}const X = {
  data: Float32Array.from({ length: batch * tokens * numHiddens }, ${draw ? 'normal' : '() => 1'}),
  shape: [batch, tokens, numHiddens],
};
const layer = new MultiHeadAttention({ numHiddens, numHeads, dropout: 0.5, seed: 1 });
const { weights } = layer.forward(X, X, X, { validLens: ${lensText(settings)}, needWeights: true });

for (let row = 0; row < batch * numHeads * tokens; ++row) {
  const [sequence, head] = [Math.floor(row / (numHeads * tokens)), Math.floor(row / tokens) % numHeads];
  const values = weights.data.subarray(row * tokens, (row + 1) * tokens);
  console.log(sequence + 1, head + 1, (row % tokens) + 1, ...values);
}
`;
}

function pytorch(settings: HeadsSettings): string {
  const { validLens, queryLens, lengths, input, seed } = settings;
  const perQueries = lengths === 'query';
  const notes = [
    ...(input === 'random' ? ['# Other draws of X and of the parameters than the figure’s.'] : []),
    ...((perQueries ? queryLens : validLens).includes(0)
      ? ['# Without valid keys there is NaN here, zeros in the figure.']
      : []),
  ];
  const shape = `${BATCH}, ${TOKENS}, ${NUM_HIDDENS}`;
  return `import torch
from torch import nn

torch.manual_seed(${seed})
X = torch.${input === 'random' ? 'randn' : 'ones'}(${shape})
layer = nn.MultiheadAttention(${NUM_HIDDENS}, ${NUM_HEADS}, dropout=0.5, bias=False, batch_first=True).eval()
padding = torch.arange(${TOKENS}) >= torch.tensor(${lensText(settings)})[${perQueries ? '..., None' : ':, None'}]  # True: masked
_, weights = layer(X, X, X, ${perQueries ? `attn_mask=padding.repeat_interleave(${NUM_HEADS}, 0)` : 'key_padding_mask=padding'}, average_attn_weights=False)

${notes.map((note) => `${note}\n`).join('')}print(weights)  # (${BATCH}, ${NUM_HEADS}, ${TOKENS}, ${TOKENS})
`;
}
