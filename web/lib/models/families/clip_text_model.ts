import type { Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';
import { clipLayer, projectionOf } from './clip_vision_model.js';

/** Norms before attention and feed-forward, learned positions; the token at a text's end stands for all. */
export function clipText(fields: Fields): Architecture {
  const all = common(fields, {}, { layers: 12, heads: 8, hiddens: 512, maxLength: 77, vocab: 49408 });
  return {
    ...all,
    padId: fields.has('pad_token_id') ? all.padId : 1,
    headDim: headDimOf(fields, all),
    ffnHiddens: fields.size('intermediate_size', 2048),
    activation: activationOf(fields, 'hidden_act', 'quick_gelu'),
    norm: 'layer',
    eps: fields.number('layer_norm_eps', 1e-5),
    order: 'pre',
    causal: true,
    positionKind: 'learned',
    positions: { rows: all.maxLength, first: 0 },
    bias: biases(true),
    tied: false,
    endsBeforeNorm: true,
    pools: 'end',
    endId: fields.has('eos_token_id') ? fields.size('eos_token_id', undefined, 2 ** 24, 0) : 49407,
    projection: projectionOf(fields, all, 'text_projection'),
    names: {
      prefix: 'text_model.',
      tokens: 'embeddings.token_embedding',
      positions: 'embeddings.position_embedding',
      layer: (i) => clipLayer(`encoder.layers.${i}`),
      finalNorm: 'final_layer_norm',
    },
    tasks: {},
  };
}
