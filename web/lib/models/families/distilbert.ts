import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { bert } from './bert.js';

/** BERT without token types and pooler, and with other names. */
export function distilbert(fields: Fields): Architecture {
  const sizes = { layers: 'n_layers', heads: 'n_heads', hiddens: 'dim', ffnHiddens: 'hidden_dim' };
  const all = bert(fields, { ...sizes, activation: 'activation' });
  return {
    ...all,
    eps: 1e-12,
    tokenTypes: 0,
    names: {
      prefix: 'distilbert.',
      tokens: 'embeddings.word_embeddings',
      positions: 'embeddings.position_embeddings',
      embeddingNorm: 'embeddings.LayerNorm',
      layer: (i) => {
        const at = `transformer.layer.${i}`;
        return {
          query: `${at}.attention.q_lin`,
          key: `${at}.attention.k_lin`,
          value: `${at}.attention.v_lin`,
          output: `${at}.attention.out_lin`,
          norm1: `${at}.sa_layer_norm`,
          up: `${at}.ffn.lin1`,
          down: `${at}.ffn.lin2`,
          norm2: `${at}.output_layer_norm`,
        };
      },
    },
    tasks: {
      ...all.tasks,
      SequenceClassification: { reads: 'first', map: 'pre_classifier', activation: 'relu', decoder: 'classifier' },
      MaskedLM: {
        reads: 'each',
        map: 'vocab_transform',
        activation: all.activation,
        norm: 'vocab_layer_norm',
        decoder: 'vocab_projector',
      },
    },
  };
}
