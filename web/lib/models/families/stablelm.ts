import type { Architecture } from '../config/architecture.js';
import { biases, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with LayerNorm, rotary positions in a part of each head, and optionally two parts in parallel. */
export function stablelm(fields: Fields): Architecture {
  const rotary = { turnsParts: true, defaultPart: 0.25 };
  const all = llama(fields, { kvHeads: 32, norm: 'layer_norm_eps', eps: 1e-5, rotary });
  fields.onlyIfGiven('head_dim', all.hiddens / all.heads);
  const isParallel = fields.flag('use_parallel_residual', false);
  const hasHeadNorms = fields.flag('qk_layernorm', false);
  return {
    ...all,
    norm: 'layer',
    headNorm: 'own',
    order: isParallel ? 'parallel' : 'pre',
    bias: { ...biases(false), qkv: fields.flag('use_qkv_bias', false), norm: true, headNorm: false },
    names: {
      ...all.names,
      layer: (i) => {
        const { norm2, ...others } = all.names.layer(i);
        const at = `layers.${i}.self_attn`;
        return {
          ...others,
          ...(hasHeadNorms && { queryNorm: `${at}.q_layernorm.norms`, keyNorm: `${at}.k_layernorm.norms` }),
          ...(!isParallel && { norm2: norm2! }),
        };
      },
    },
  };
}
