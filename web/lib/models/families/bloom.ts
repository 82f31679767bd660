import { DECODER_TASKS, type Architecture } from '../config/architecture.js';
import { biases, common, headDimOf, type Fields } from '../config/fields.js';
import { interleaved } from '../weights/parts.js';

/** Norms before attention and feed-forward, a norm of embeddings, and scores that fall with distance. */
export function bloom(fields: Fields): Architecture {
  const names = { layers: 'n_layer', heads: 'n_head', hiddens: 'n_embed', maxLength: 'seq_length' };
  // The length of training, since nothing ends positions.
  const all = common(fields, names, { maxLength: 2048 });
  fields.onlyIfGiven('n_embed', all.hiddens);
  const headDim = headDimOf(fields, all, 'n_head');
  return {
    ...all,
    headDim,
    ffnHiddens: 4 * all.hiddens,
    activation: 'gelu-tanh',
    norm: 'layer',
    eps: fields.number('layer_norm_epsilon', 1e-5),
    order: 'pre',
    addsToNormed: fields.flag('apply_residual_connection_post_layernorm', false),
    causal: true,
    positionKind: 'alibi',
    bias: biases(true),
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'transformer.',
      tokens: 'word_embeddings',
      embeddingNorm: 'word_embeddings_layernorm',
      layer: (i) => {
        const attention = `h.${i}.self_attention`;
        const [query, key, value] = [0, 1, 2].map((map) => interleaved(`${attention}.query_key_value`, map, headDim));
        return {
          norm1: `h.${i}.input_layernorm`,
          query: query!,
          key: key!,
          value: value!,
          output: `${attention}.dense`,
          norm2: `h.${i}.post_attention_layernorm`,
          up: `h.${i}.mlp.dense_h_to_4h`,
          down: `h.${i}.mlp.dense_4h_to_h`,
        };
      },
      finalNorm: 'ln_f',
    },
    tasks: {
      QuestionAnswering: { reads: 'each', decoder: 'qa_outputs', outputs: 2 },
      ...DECODER_TASKS,
    },
  };
}
