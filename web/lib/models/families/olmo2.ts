import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with norms after attention and feed-forward in place of those before, and norms of all queries and all keys. */
export function olmo2(fields: Fields): Architecture {
  const all = llama(fields, { eps: 1e-5 });
  return {
    ...all,
    headNorm: 'all',
    bias: { ...all.bias, up: false, down: false },
    names: {
      ...all.names,
      layer: (i) => {
        const { norm1: _, norm2, ...others } = all.names.layer(i);
        return {
          ...others,
          queryNorm: `layers.${i}.self_attn.q_norm`,
          keyNorm: `layers.${i}.self_attn.k_norm`,
          outputNorm: norm2!,
          downNorm: `layers.${i}.post_feedforward_layernorm`,
        };
      },
    },
    tasks: { CausalLM: all.tasks.CausalLM! },
  };
}
