import type { Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';
import { fairseqLayer } from './xglm.js';

/** Norms before attention and feed-forward or after them, learned positions, embeddings that may be narrow. */
export function opt(fields: Fields): Architecture {
  const all = common(fields);
  const isPre = fields.flag('do_layer_norm_before', true);
  const hasFinalNorm = isPre && !fields.flag('_remove_final_layer_norm', false);
  const embedding = fields.sizeOrNull('word_embed_proj_dim') ?? all.hiddens;
  const first = 2;
  return {
    ...all,
    embedding,
    headDim: headDimOf(fields, all),
    ffnHiddens: fields.size('ffn_dim'),
    activation: activationOf(fields, 'activation_function', 'relu'),
    norm: 'layer',
    ...(!fields.flag('layer_norm_elementwise_affine', true) && { normWeight: 'none' }),
    eps: 1e-5,
    order: isPre ? 'pre' : 'post',
    causal: true,
    positionKind: 'learned',
    positions: { rows: all.maxLength + first, first },
    bias: { ...biases(fields.flag('enable_bias', true)), norm: true },
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'model.decoder.',
      otherPrefix: 'decoder.',
      tokens: 'embed_tokens',
      positions: 'embed_positions',
      ...(embedding !== all.hiddens && { embeddingMap: 'project_in', outputMap: 'project_out' }),
      layer: (i) => fairseqLayer(`layers.${i}`),
      ...(hasFinalNorm && { finalNorm: 'final_layer_norm' }),
    },
    tasks: {
      SequenceClassification: { reads: 'last', decoder: 'score', optionalBias: true },
      QuestionAnswering: { reads: 'each', decoder: 'qa_outputs', outputs: 2 },
      CausalLM: { reads: 'each', decoder: 'lm_head', optionalBias: true },
    },
  };
}
