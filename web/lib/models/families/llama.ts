import { DECODER_TASKS, type Architecture, type Window } from '../config/architecture.js';
import { activationOf, common, headDimOf, windowsOf, type Fields } from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';

/** Names of fields and defaults that differ between families like Llama. */
const KIND = {
  kvHeads: undefined as number | undefined,
  headDim: undefined as number | undefined,
  activation: 'hidden_act',
  defaultActivation: 'silu',
  norm: 'rms_norm_eps',
  eps: 1e-6,
  tied: false,
  rotary: {} as Parameters<typeof rotaryOf>[2],
  /** See `windowsOf`. */
  window: undefined as Window | undefined,
  isWindowed: undefined as ((layer: number) => boolean) | undefined,
};

/** RMSNorm before attention and feed-forward, rotary positions, a gated feed-forward. */
export function llama(fields: Fields, kind: Partial<typeof KIND> = {}): Architecture {
  const { window, isWindowed, ...called } = { ...KIND, ...kind };
  const all = common(fields);
  const kvHeads = fields.sizeOrNull('num_key_value_heads', all.heads, called.kvHeads) ?? all.heads;
  if (all.heads % kvHeads !== 0) fields.wrong('num_key_value_heads', 'to divide the heads', kvHeads);
  const headDim = fields.sizeOrNull('head_dim', undefined, called.headDim) ?? headDimOf(fields, all);
  const [attentionBias, mlpBias] = [fields.flag('attention_bias', false), fields.flag('mlp_bias', false)];
  return {
    ...all,
    ...rotaryOf(fields, { ...all, headDim }, { turnsParts: false, ...called.rotary }),
    kvHeads,
    headDim,
    ffnHiddens: fields.size('intermediate_size'),
    activation: activationOf(fields, called.activation, called.defaultActivation),
    gated: true,
    norm: 'rms',
    eps: fields.number(called.norm, called.eps),
    order: 'pre',
    causal: true,
    windows: windowsOf(fields, all.layers, window, isWindowed),
    positionKind: 'rotary',
    bias: { qkv: attentionBias, output: attentionBias, up: mlpBias, down: mlpBias, norm: false },
    tied: fields.flag('tie_word_embeddings', called.tied),
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
      ...DECODER_TASKS,
      TokenClassification: { reads: 'each', decoder: 'score', optionalBias: true },
    },
  };
}
