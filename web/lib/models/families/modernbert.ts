import type { Architecture } from '../config/architecture.js';
import {
  activationOf,
  biases,
  common,
  FULL,
  headDimOf,
  SLIDING,
  vectorActivationOf,
  windowsOf,
  type Fields,
} from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';
import { stacked } from '../weights/parts.js';

/** An encoder with norms before attention and feed-forward; most layers see only near tokens, with a base of their own. */
export function modernbert(fields: Fields): Architecture {
  const all = common(fields);
  const headDim = headDimOf(fields, all);
  const activation = activationOf(fields, 'hidden_activation', 'gelu');
  const side = Math.floor(fields.size('local_attention', 128, 2 ** 30, 0) / 2);
  const every = fields.size('global_attn_every_n_layers', 3);
  const windows = windowsOf(fields, all.layers, { left: side, right: side }, (layer) => layer % every !== 0);
  const sizes = { ...all, headDim };
  const full = rotaryOf(fields, sizes, { theta: 'global_rope_theta', defaultTheta: 160000, type: FULL });
  const local = rotaryOf(fields, sizes, { theta: 'local_rope_theta', type: SLIDING });
  const [attentionBias, mlpBias] = [fields.flag('attention_bias', false), fields.flag('mlp_bias', false)];
  const reads = fields.oneOf('classifier_pooling', { cls: 'first', mean: 'mean' } as const, 'cls');
  const head = {
    map: 'head.dense',
    mapBias: fields.flag('classifier_bias', false),
    activation: vectorActivationOf(fields, 'classifier_activation', 'gelu'),
    norm: 'head.norm',
  };
  return {
    ...all,
    headDim,
    maxLength: Math.max(full.maxLength, local.maxLength),
    ffnHiddens: fields.size('intermediate_size'),
    activation,
    gated: true,
    norm: 'layer',
    eps: fields.number('norm_eps', 1e-5),
    order: 'pre',
    causal: false,
    windows,
    positionKind: 'rotary',
    rotary: windows.map((window, i) => (window ? local : full).rotary[i]),
    bias: {
      ...biases(attentionBias),
      up: mlpBias,
      down: mlpBias,
      norm: fields.flag('norm_bias', false),
    },
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'model.',
      tokens: 'embeddings.tok_embeddings',
      embeddingNorm: 'embeddings.norm',
      layer: (i) => ({
        ...(i > 0 && { norm1: `layers.${i}.attn_norm` }),
        query: stacked(`layers.${i}.attn.Wqkv`, 0, 3),
        key: stacked(`layers.${i}.attn.Wqkv`, 1, 3),
        value: stacked(`layers.${i}.attn.Wqkv`, 2, 3),
        output: `layers.${i}.attn.Wo`,
        norm2: `layers.${i}.mlp_norm`,
        up: `layers.${i}.mlp.Wi`,
        down: `layers.${i}.mlp.Wo`,
      }),
      finalNorm: 'final_norm',
    },
    tasks: {
      SequenceClassification: { ...head, reads, decoder: 'classifier' },
      TokenClassification: { ...head, reads: 'each', decoder: 'classifier' },
      QuestionAnswering: { ...head, reads: 'each', decoder: 'classifier', outputs: 2 },
      MaskedLM: {
        ...head,
        reads: 'each',
        decoder: 'decoder',
        ...(!fields.flag('decoder_bias', true) && { bias: false }),
      },
    },
  };
}
