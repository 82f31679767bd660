import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with four factors. */
export function granite(fields: Fields): Architecture {
  const all = llama(fields);
  return {
    ...all,
    embeddingScale: fields.number('embedding_multiplier', 1),
    residualScale: fields.number('residual_multiplier', 1),
    scale: fields.number('attention_multiplier', 1),
    tasks: { CausalLM: { ...all.tasks.CausalLM!, scale: 1 / fields.number('logits_scaling', 1) } },
  };
}
