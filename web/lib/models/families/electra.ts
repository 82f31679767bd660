import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { bert } from './bert.js';

/** BERT without a pooler, with embeddings that may be narrow and a head that finds replaced tokens. */
export function electra(fields: Fields): Architecture {
  const all = bert(fields);
  const embedding = fields.size('embedding_size', 128);
  const { pooler: _, ...names } = all.names;
  return {
    ...all,
    embedding,
    names: {
      ...names,
      prefix: 'electra.',
      ...(embedding !== all.hiddens && { embeddingMap: 'embeddings_project' }),
    },
    tasks: {
      ...all.tasks,
      SequenceClassification: {
        reads: 'first',
        map: 'classifier.dense',
        // Whatever the config says, as in the generator's head.
        activation: 'gelu',
        decoder: 'classifier.out_proj',
      },
      PreTraining: {
        reads: 'each',
        map: 'discriminator_predictions.dense',
        activation: all.activation,
        decoder: 'discriminator_predictions.dense_prediction',
        outputs: 1,
      },
      MaskedLM: {
        reads: 'each',
        map: 'generator_predictions.dense',
        activation: 'gelu',
        norm: 'generator_predictions.LayerNorm',
        decoder: 'generator_lm_head',
      },
    },
  };
}
