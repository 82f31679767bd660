import type { FigureCode } from '../shared/figure/figure-data.js';

/** What the code computes; word, layer, head and keys are counted from 1. */
export interface Followed {
  readonly tokens: readonly number[];
  readonly word: number;
  readonly layer: number;
  readonly head: number;
  readonly moved: ReadonlyMap<number, number>;
  readonly temperature: number;
}

/** Code that prints the word's weights, the mixture of the values, and the most likely next token's probability. */
export function followCode({ tokens, word, layer, head, moved, temperature }: Followed): FigureCode {
  const scores = [...moved].map(([key, score]) => `[${key - 1}, ${score}]`).join(', ');
  return {
    javascript: `import { openModel, readCheckpoint } from 'wasm-attention/models';

// A folder with the model's config.json and model.safetensors.
const model = await openModel(await readCheckpoint('stories260K'));
const tokens = [${tokens.join(', ')}];
const [word, layer, head, temperature] = [${word - 1}, ${layer - 1}, ${head - 1}, ${temperature}];
const moved = [${scores}]; // keys, and the scores that replace theirs

const rowOf = ({ data, shape: [, , rows, width] }) => {
  const from = (head * rows + word) * width;
  return data.subarray(from, from + width);
};
const { logits } = model.forward(tokens.slice(0, word + 1), {
  hooks: {
    [\`blocks.\${layer}.attn.hook_attn_scores\`]: (scores) => {
      for (const [key, score] of moved) rowOf(scores)[key] = score;
      return scores;
    },
    [\`blocks.\${layer}.attn.hook_pattern\`]: (weights) => console.log(...rowOf(weights)),
    [\`blocks.\${layer}.attn.hook_z\`]: (mixtures) => console.log(...rowOf(mixtures)),
  },
  lastOnly: true,
});
const shares = logits.data.map((logit) => Math.exp(logit / temperature));
console.log(Math.max(...shares) / shares.reduce((sum, share) => sum + share));
`,
    pytorch: `import torch
from transformers import AutoModelForCausalLM
from transformers.models.llama import modeling_llama as llama

tokens = torch.tensor([[${tokens.join(', ')}]])
word, layer, head, temperature = ${word - 1}, ${layer - 1}, ${head - 1}, ${temperature}
moved = [${scores}]  # keys, and the scores that replace theirs

def attention(module, query, key, value, attention_mask, scaling, **kwargs):
    key, value = (llama.repeat_kv(x, module.num_key_value_groups) for x in (key, value))
    later = torch.ones(word + 1, word + 1).triu(1).bool()
    scores = (query @ key.transpose(2, 3) * scaling).masked_fill(later, float('-inf'))
    if module.layer_idx == layer:
        for j, score in moved:
            scores[0, head, word, j] = score
    weights = scores.softmax(-1)
    mixtures = weights @ value
    if module.layer_idx == layer:
        print(weights[0, head, word], mixtures[0, head, word])
    return mixtures.transpose(1, 2).contiguous(), weights

llama.eager_attention_forward = attention
# A folder with the model's config.json and model.safetensors.
model = AutoModelForCausalLM.from_pretrained('stories260K', attn_implementation='eager').eval()
with torch.no_grad():
    logits = model(tokens[:, : word + 1]).logits[0, -1]
print((logits / temperature).softmax(-1).max())
`,
  };
}
