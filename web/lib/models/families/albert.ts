import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { bert } from './bert.js';

/** BERT with narrow embeddings and layers that share parameters. */
export function albert(fields: Fields): Architecture {
  const all = bert(fields, { defaultActivation: 'gelu_new' });
  fields.only('inner_group_num', 1);
  const groups = fields.size('num_hidden_groups', 1, 1024);
  return {
    ...all,
    embedding: fields.size('embedding_size', 128),
    groups: Array.from({ length: all.layers }, (_, i) => Math.floor((i * groups) / all.layers)),
    names: {
      ...all.names,
      prefix: 'albert.',
      embeddingMap: 'encoder.embedding_hidden_mapping_in',
      layer: (i) => {
        const at = `encoder.albert_layer_groups.${i}.albert_layers.0`;
        return {
          query: `${at}.attention.query`,
          key: `${at}.attention.key`,
          value: `${at}.attention.value`,
          output: `${at}.attention.dense`,
          norm1: `${at}.attention.LayerNorm`,
          up: `${at}.ffn`,
          down: `${at}.ffn_output`,
          norm2: `${at}.full_layer_layer_norm`,
        };
      },
      pooler: 'pooler',
    },
    tasks: {
      ...all.tasks,
      MaskedLM: {
        reads: 'each',
        map: 'predictions.dense',
        activation: all.activation,
        norm: 'predictions.LayerNorm',
        decoder: 'predictions.decoder',
        bias: 'predictions.bias',
      },
    },
  };
}
