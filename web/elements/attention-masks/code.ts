import type { FigureCode } from '../shared/figure/figure-data.js';
import { NORMAL_CODE } from '../shared/normal-draws.js';
import { DEPTH, LENGTH, type MaskSettings } from './scene.js';

/** Code that combines the masks and computes the weights; each printed row is a row of weights. */
export function masksCode(settings: MaskSettings): FigureCode {
  return { javascript: javascript(settings), pytorch: pytorch(settings) };
}

function javascript({ valid, causal, window, left, right, seed }: MaskSettings): string {
  return `import { load } from 'wasm-attention';

const { scaledDotProductAttention } = await load();
const [length, depth] = [${LENGTH}, ${DEPTH}];

let state = ${seed};
${NORMAL_CODE}
const draw = () => ({
  data: Float32Array.from({ length: length * depth }, normal),
  shape: [1, length, depth],
});
const [query, key] = [draw(), draw()];

const { weights } = scaledDotProductAttention(query, key, key, {
  validLens: [${valid}], // padding: keys at or beyond this index are masked
  isCausal: ${causal},
  window: ${window ? `[${left}, ${right}]` : '-1'}, // keys to the left and to the right; -1 leaves it open
  needWeights: true,
});

for (let row = 0; row < length; ++row) {
  console.log(...weights.data.subarray(row * length, (row + 1) * length));
}
`;
}

function pytorch({ valid, causal, window, left, right, seed }: MaskSettings): string {
  return `import torch

torch.manual_seed(${seed})  # other draws than the figure's
query, key = torch.randn(${LENGTH}, ${DEPTH}), torch.randn(${LENGTH}, ${DEPTH})
i, j = torch.arange(${LENGTH})[:, None], torch.arange(${LENGTH})[None, :]

mask = (j < ${valid}).expand(${LENGTH}, ${LENGTH})  # padding; True: may attend
${causal ? 'mask = mask & (j <= i)  # causal\n' : ''}${window ? `mask = mask & (i - ${left} <= j) & (j <= i + ${right})  # window\n` : ''}
scores = (query @ key.T / ${DEPTH}**0.5).masked_fill(~mask, -torch.inf)
weights = scores.softmax(-1).nan_to_num(0)  # a row without any key is NaN here, zeros in the figure
print(weights)
`;
}
