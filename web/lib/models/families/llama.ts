import type { Architecture } from '../config/architecture.js';
import { activationOf, common, headDimOf, type Fields } from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';

/** Defaults that differ between families like Llama. */
interface Kind {
  readonly kvHeads?: number;
  readonly headDim?: number;
}

/** RMSNorm before attention and feed-forward, rotary positions, a gated feed-forward. */
export function llama(fields: Fields, kind: Kind = {}): Architecture {
  const all = common(fields);
  const defaultHeads = fields.has('num_key_value_heads') ? all.heads : (kind.kvHeads ?? all.heads);
  const kvHeads = fields.sizeOrNull('num_key_value_heads', all.heads) ?? defaultHeads;
  if (all.heads % kvHeads !== 0) fields.wrong('num_key_value_heads', 'to divide the heads', kvHeads);
  const defaultDim = fields.has('head_dim') ? undefined : kind.headDim;
  const headDim = fields.sizeOrNull('head_dim') ?? defaultDim ?? headDimOf(fields, all);
  const [attentionBias, mlpBias] = [fields.flag('attention_bias', false), fields.flag('mlp_bias', false)];
  return {
    ...all,
    ...rotaryOf(fields, { ...all, headDim }, { turnsParts: false }),
    kvHeads,
    headDim,
    ffnHiddens: fields.size('intermediate_size'),
    activation: activationOf(fields, 'hidden_act', 'silu'),
    gated: true,
    norm: 'rms',
    eps: fields.number('rms_norm_eps', 1e-6),
    order: 'pre',
    causal: true,
    positionKind: 'rotary',
    bias: { qkv: attentionBias, output: attentionBias, up: mlpBias, down: mlpBias, norm: false },
    tied: fields.flag('tie_word_embeddings', false),
    names: {
      prefix: 'model.',
      tokens: 'embed_tokens',
      layer: (i) => {
        const at = `layers.${i}`;
        return {
          norm1: `${at}.input_layernorm`,
          query: `${at}.self_attn.q_proj`,
          key: `${at}.self_attn.k_proj`,
          value: `${at}.self_attn.v_proj`,
          output: `${at}.self_attn.o_proj`,
          norm2: `${at}.post_attention_layernorm`,
          up: [`${at}.mlp.gate_proj`, `${at}.mlp.up_proj`],
          down: `${at}.mlp.down_proj`,
        };
      },
      finalNorm: 'norm',
    },
    tasks: {
      SequenceClassification: { reads: 'last', decoder: 'score', optionalBias: true },
      TokenClassification: { reads: 'each', decoder: 'score', optionalBias: true },
      CausalLM: { reads: 'each', decoder: 'lm_head', optionalBias: true },
    },
  };
}
