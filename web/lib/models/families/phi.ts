import type { Architecture } from '../config/architecture.js';
import { biases, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with LayerNorm, attention and feed-forward in parallel, and rotary positions in a part of each head. */
export function phi(fields: Fields): Architecture {
  const rotary = { turnsParts: true, defaultPart: 0.5 };
  const all = llama(fields, { defaultActivation: 'gelu_new', norm: 'layer_norm_eps', eps: 1e-5, rotary });
  const hasHeadNorms = fields.flag('qk_layernorm', false);
  return {
    ...all,
    gated: false,
    norm: 'layer',
    order: 'parallel',
    bias: biases(true),
    names: {
      ...all.names,
      layer: (i) => {
        const at = `layers.${i}`;
        const { norm2: _, ...others } = all.names.layer(i);
        return {
          ...others,
          output: `${at}.self_attn.dense`,
          ...(hasHeadNorms && {
            queryNorm: `${at}.self_attn.q_layernorm`,
            keyNorm: `${at}.self_attn.k_layernorm`,
          }),
          up: `${at}.mlp.fc1`,
          down: `${at}.mlp.fc2`,
        };
      },
      finalNorm: 'final_layernorm',
    },
    tasks: { ...all.tasks, CausalLM: { reads: 'each', decoder: 'lm_head' } },
  };
}
