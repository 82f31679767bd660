import type { Activation, Architecture, Tasks } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';

/** Names of fields and defaults that differ between families like BERT. */
const KIND = {
  layers: 'num_hidden_layers',
  heads: 'num_attention_heads',
  hiddens: 'hidden_size',
  ffnHiddens: 'intermediate_size',
  activation: 'hidden_act',
  defaultActivation: 'gelu',
  eps: 1e-12,
  types: 2,
  padId: 0,
};

/** Norms after the sums, learned positions, token types; every token sees all others. */
export function bert(fields: Fields, kind: Partial<typeof KIND> = {}): Architecture {
  const { ffnHiddens, ...called } = { ...KIND, ...kind };
  fields.only('position_embedding_type', 'absolute');
  fields.only('is_decoder', false);
  const all = common(fields, called);
  const activation = activationOf(fields, called.activation, called.defaultActivation);
  return {
    ...all,
    headDim: headDimOf(fields, all, called.heads),
    ffnHiddens: fields.size(ffnHiddens),
    activation,
    norm: 'layer',
    eps: fields.number('layer_norm_eps', called.eps),
    order: 'post',
    causal: false,
    positionKind: 'learned',
    positions: { rows: all.maxLength, first: 0 },
    tokenTypes: fields.size('type_vocab_size', called.types, undefined, 0),
    padId: all.padId ?? called.padId,
    bias: biases(true),
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'bert.',
      tokens: 'embeddings.word_embeddings',
      positions: 'embeddings.position_embeddings',
      types: 'embeddings.token_type_embeddings',
      embeddingNorm: 'embeddings.LayerNorm',
      layer: (i) => {
        const at = `encoder.layer.${i}`;
        return {
          query: `${at}.attention.self.query`,
          key: `${at}.attention.self.key`,
          value: `${at}.attention.self.value`,
          output: `${at}.attention.output.dense`,
          norm1: `${at}.attention.output.LayerNorm`,
          up: `${at}.intermediate.dense`,
          down: `${at}.output.dense`,
          norm2: `${at}.output.LayerNorm`,
        };
      },
      pooler: 'pooler.dense',
    },
    tasks: bertTasks(activation),
  };
}

export function bertTasks(activation: Activation) {
  return {
    SequenceClassification: { reads: 'pooled', decoder: 'classifier' },
    TokenClassification: { reads: 'each', decoder: 'classifier' },
    QuestionAnswering: { reads: 'each', decoder: 'qa_outputs', outputs: 2 },
    MaskedLM: {
      reads: 'each',
      map: 'cls.predictions.transform.dense',
      activation,
      norm: 'cls.predictions.transform.LayerNorm',
      decoder: 'cls.predictions.decoder',
      bias: 'cls.predictions.bias',
    },
  } satisfies Tasks;
}
