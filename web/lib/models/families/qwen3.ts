import type { Architecture } from '../config/architecture.js';
import { biases, type Fields } from '../config/fields.js';
import { qwen2 } from './qwen2.js';

/** Qwen2 with norms of each head's queries and keys, and other biases. */
export function qwen3(fields: Fields): Architecture {
  const all = qwen2(fields, { headDim: 128 });
  const hasBias = fields.flag('attention_bias', false);
  return {
    ...all,
    bias: { ...biases(false), qkv: hasBias, output: hasBias },
    names: {
      ...all.names,
      layer: (i) => ({
        ...all.names.layer(i),
        queryNorm: `layers.${i}.self_attn.q_norm`,
        keyNorm: `layers.${i}.self_attn.k_norm`,
      }),
    },
  };
}
