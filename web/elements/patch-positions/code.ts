import { GRID, SIDE, type Picture } from '../../training/index.js';
import type { FigureCode } from '../shared/figure/figure-data.js';

/** Code that prints the probabilities of the answers, and what the patch at `place` attends to in each head. */
export function patchCode(picture: Picture, positions: boolean, place: number): FigureCode {
  const folder = positions ? 'with-positions' : 'without-positions';
  const { stroke } = picture;
  const rows = Array.from({ length: GRID }, (_, row) => picture.pieces.slice(row * GRID, (row + 1) * GRID).join(', '));
  const pieces = rows.map((row) => `  ${row},\n`).join('');
  const size = GRID * SIDE;
  return {
    javascript: `import { openModel, readCheckpoint } from 'wasm-attention/models';

// A folder with the model's config.json and model.safetensors.
const model = await openModel(await readCheckpoint('${folder}'));
// In each patch nothing (0), or a quarter of a circle (1 to 4, in reading order).
const pieces = [
${pieces}];
const stroke = ${stroke};
const pixels = Float32Array.from({ length: ${size} * ${size} }, (_, at) => {
  const [x, y] = [at % ${size}, Math.floor(at / ${size})];
  const piece = pieces[${GRID} * Math.floor(y / ${SIDE}) + Math.floor(x / ${SIDE})];
  // The circle's centre is a corner of the patch.
  const radius = Math.hypot((x % ${SIDE}) + 0.5 - (piece % 2) * ${SIDE}, (y % ${SIDE}) + 0.5 - (piece < 3) * ${SIDE});
  const off = Math.abs(radius - (${SIDE} - stroke / 2));
  return piece === 0 ? 0 : Math.min(1, Math.max(0, (stroke + 1) / 2 - off));
});

const { logits, weights } = model.forward({ data: pixels, shape: [1, 1, ${size}, ${size}] }, { needWeights: true });
const powers = Array.from(logits.data, Math.exp);
const sum = powers.reduce((a, b) => a + b, 0);
console.log(...powers.map((power) => power / sum)); // of 0, 1, 2 and 3 circles
const patches = pieces.length;
const { data } = weights[0]; // (1, heads, patches, patches)
for (let head = 0; head < model.numHeads; ++head) {
  const row = head * patches + ${place};
  console.log(...data.subarray(row * patches, (row + 1) * patches));
}
`,
    pytorch: `import torch
from transformers import SiglipForImageClassification

# A folder with the model's config.json and model.safetensors.
model = SiglipForImageClassification.from_pretrained('${folder}', attn_implementation='eager').eval()
# In each patch nothing (0), or a quarter of a circle (1 to 4, in reading order).
pieces = torch.tensor([
${pieces.replaceAll('  ', '    ')}]).reshape(${GRID}, ${GRID})
piece = pieces.repeat_interleave(${SIDE}, 0).repeat_interleave(${SIDE}, 1)
stroke = ${stroke}
at = torch.arange(${size}) % ${SIDE} + 0.5
# The circle's centre is a corner of the patch.
radius = torch.hypot(at[None, :] - ${SIDE} * (piece % 2), at[:, None] - ${SIDE} * (piece < 3))
pixels = ((stroke + 1) / 2 - (radius - (${SIDE} - stroke / 2)).abs()).clamp(0, 1) * (piece > 0)

with torch.no_grad():
    result = model(pixels[None, None], output_attentions=True)
print(*result.logits[0].softmax(-1).tolist())  # of 0, 1, 2 and 3 circles
for head in result.attentions[0][0]:
    print(*head[${place}].tolist())
`,
  };
}
