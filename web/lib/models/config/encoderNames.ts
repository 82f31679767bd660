/** The names of tensors in Hugging Face's checkpoints of encoders, without the family's prefix. */
import type { Family } from './architecture.js';
import type { LayerNames, Names } from './names.js';

const BERT_EMBEDDINGS = {
  tokens: 'embeddings.word_embeddings',
  positions: 'embeddings.position_embeddings',
  types: 'embeddings.token_type_embeddings',
  embeddingNorm: 'embeddings.LayerNorm',
};

const bertLayer = (i: number): LayerNames => ({
  query: `encoder.layer.${i}.attention.self.query`,
  key: `encoder.layer.${i}.attention.self.key`,
  value: `encoder.layer.${i}.attention.self.value`,
  output: `encoder.layer.${i}.attention.output.dense`,
  norm1: `encoder.layer.${i}.attention.output.LayerNorm`,
  norm2: `encoder.layer.${i}.output.LayerNorm`,
  up: `encoder.layer.${i}.intermediate.dense`,
  down: `encoder.layer.${i}.output.dense`,
});

export const ENCODERS: Readonly<Partial<Record<Family, Names>>> = {
  bert: {
    prefix: 'bert.',
    ...BERT_EMBEDDINGS,
    layer: bertLayer,
    pooler: 'pooler.dense',
    predictions: {
      map: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.LayerNorm',
      decoder: 'cls.predictions.decoder',
      bias: 'cls.predictions.bias',
    },
  },
  roberta: {
    prefix: 'roberta.',
    ...BERT_EMBEDDINGS,
    layer: bertLayer,
    pooler: 'pooler.dense',
    predictions: {
      map: 'lm_head.dense',
      norm: 'lm_head.layer_norm',
      decoder: 'lm_head.decoder',
      bias: 'lm_head.bias',
    },
  },
  distilbert: {
    prefix: 'distilbert.',
    tokens: BERT_EMBEDDINGS.tokens,
    positions: BERT_EMBEDDINGS.positions,
    embeddingNorm: BERT_EMBEDDINGS.embeddingNorm,
    layer: (i) => ({
      query: `transformer.layer.${i}.attention.q_lin`,
      key: `transformer.layer.${i}.attention.k_lin`,
      value: `transformer.layer.${i}.attention.v_lin`,
      output: `transformer.layer.${i}.attention.out_lin`,
      norm1: `transformer.layer.${i}.sa_layer_norm`,
      norm2: `transformer.layer.${i}.output_layer_norm`,
      up: `transformer.layer.${i}.ffn.lin1`,
      down: `transformer.layer.${i}.ffn.lin2`,
    }),
    predictions: { map: 'vocab_transform', norm: 'vocab_layer_norm', decoder: 'vocab_projector' },
  },
  albert: {
    prefix: 'albert.',
    ...BERT_EMBEDDINGS,
    embeddingMap: 'encoder.embedding_hidden_mapping_in',
    layer: (i) => {
      const layer = `encoder.albert_layer_groups.${i}.albert_layers.0`;
      return {
        query: `${layer}.attention.query`,
        key: `${layer}.attention.key`,
        value: `${layer}.attention.value`,
        output: `${layer}.attention.dense`,
        norm1: `${layer}.attention.LayerNorm`,
        norm2: `${layer}.full_layer_layer_norm`,
        up: `${layer}.ffn`,
        down: `${layer}.ffn_output`,
      };
    },
    pooler: 'pooler',
    predictions: {
      map: 'predictions.dense',
      norm: 'predictions.LayerNorm',
      decoder: 'predictions.decoder',
      bias: 'predictions.bias',
    },
  },
};
