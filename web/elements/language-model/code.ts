import type { FigureCode } from '../shared/figure/figure-data.js';
import { optionsOf, type Changes } from './run.js';

/** Code that generates the same tokens; it prints one line, the token ids. */
export function storyCode(beginning: readonly number[], steps: number, changes: Changes): FigureCode {
  const { positions } = changes;
  const heads = optionsOf(changes).ablate.map((head) => `[${head.join(', ')}]`);
  const options = [
    'lastOnly: true',
    ...(heads.length > 0 ? [`ablate: [${heads.join(', ')}]`] : []),
    ...(positions ? [] : ["positions: 'none'"]),
  ];
  return {
    javascript: `import { openModel, readCheckpoint } from 'wasm-attention/models';

// A folder with the model's config.json and model.safetensors.
const model = await openModel(await readCheckpoint('stories260K'));
const tokens = [${beginning.join(', ')}];
for (let i = 0; i < ${steps}; ++i) {
  const { logits } = model.forward(tokens, { ${options.join(', ')} });
  tokens.push(logits.data.indexOf(Math.max(...logits.data))); // the most likely one
}
console.log(...tokens);
`,
    pytorch: `import torch
from transformers import AutoModelForCausalLM

# A folder with the model's config.json and model.safetensors.
model = AutoModelForCausalLM.from_pretrained('stories260K', attn_implementation='eager').eval()
${pytorchChanges(changes)}tokens = torch.tensor([[${beginning.join(', ')}]])
with torch.no_grad():
    for _ in range(${steps}):
        logits = model(tokens).logits
        tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], dim=1)
    heads = model(tokens, output_attentions=True).attentions  # (1, 8, T, T) for each layer
print(*tokens[0].tolist())
`,
  };
}

/** What PyTorch needs for the same changes. */
function pytorchChanges(changes: Changes): string {
  const lines: string[] = [];
  const { ablate } = optionsOf(changes);
  if (ablate.length > 0) {
    lines.push(
      `silent = [${ablate.map((head) => `(${head.join(', ')})`).join(', ')}]  # layer, head`,
      'for layer, head in silent:',
      '    # The output projection reads nothing of this head.',
      '    model.model.layers[layer].self_attn.o_proj.weight.data[:, 8 * head : 8 * (head + 1)] = 0',
    );
  }
  if (!changes.positions) {
    lines.push(
      'def unrotated(x, ids):',
      '    shape = (*ids.shape, 8)',
      '    return torch.ones(shape), torch.zeros(shape)  # cosines and sines of no rotation',
      'model.model.rotary_emb.forward = unrotated',
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}
