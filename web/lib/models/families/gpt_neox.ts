import { DECODER_TASKS, type Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';
import { interleaved } from '../weights/parts.js';

/** Attention and feed-forward in parallel, rotary positions in a part of each head. */
export function gptNeox(fields: Fields): Architecture {
  const all = common(fields);
  const headDim = headDimOf(fields, all);
  const hasBias = fields.flag('attention_bias', true);
  return {
    ...all,
    ...rotaryOf(fields, { ...all, headDim }, { theta: 'rotary_emb_base', part: 'rotary_pct', defaultPart: 0.25 }),
    headDim,
    ffnHiddens: fields.size('intermediate_size'),
    activation: activationOf(fields, 'hidden_act', 'gelu'),
    norm: 'layer',
    eps: fields.number('layer_norm_eps', 1e-5),
    order: fields.flag('use_parallel_residual', true) ? 'parallel' : 'pre',
    causal: true,
    positionKind: 'rotary',
    bias: { ...biases(true), qkv: hasBias, output: hasBias },
    tied: fields.flag('tie_word_embeddings', false),
    names: {
      prefix: 'gpt_neox.',
      tokens: 'embed_in',
      layer: (i) => {
        const attention = `layers.${i}.attention`;
        return {
          norm1: `layers.${i}.input_layernorm`,
          query: interleaved(`${attention}.query_key_value`, 0, headDim),
          key: interleaved(`${attention}.query_key_value`, 1, headDim),
          value: interleaved(`${attention}.query_key_value`, 2, headDim),
          output: `${attention}.dense`,
          norm2: `layers.${i}.post_attention_layernorm`,
          up: `layers.${i}.mlp.dense_h_to_4h`,
          down: `layers.${i}.mlp.dense_4h_to_h`,
        };
      },
      finalNorm: 'final_layer_norm',
    },
    tasks: {
      ...DECODER_TASKS,
      CausalLM: { reads: 'each', decoder: 'embed_out', optionalBias: true },
    },
  };
}
