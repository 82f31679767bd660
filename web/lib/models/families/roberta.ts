import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { bert } from './bert.js';

/**
 * BERT with other heads, and positions that begin after padding's.
 *
 * @param kind the id of padding as positions count it, if the config does not say it
 */
export function roberta(fields: Fields, kind?: { readonly padId: number }): Architecture {
  const all = bert(fields, { padId: 1 });
  // Positions are counted from this id on, so it cannot be null or negative.
  const padId = kind?.padId ?? fields.size('pad_token_id', 1, undefined, 0);
  const first = padId + 1;
  if (all.maxLength <= first) fields.wrong('max_position_embeddings', `above ${first}`, all.maxLength);
  return {
    ...all,
    padId: kind ? all.padId : padId,
    maxLength: all.maxLength - first,
    positions: { rows: all.maxLength, first, skipped: padId },
    names: { ...all.names, prefix: 'roberta.' },
    tasks: {
      ...all.tasks,
      SequenceClassification: {
        reads: 'first',
        map: 'classifier.dense',
        activation: 'tanh',
        decoder: 'classifier.out_proj',
      },
      MaskedLM: {
        reads: 'each',
        map: 'lm_head.dense',
        // Whatever the config says.
        activation: 'gelu',
        norm: 'lm_head.layer_norm',
        decoder: 'lm_head.decoder',
        bias: 'lm_head.bias',
      },
    },
  };
}
