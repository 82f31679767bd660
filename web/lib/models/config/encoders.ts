import type { Architecture, Family } from './architecture.js';
import { ENCODERS } from './encoderNames.js';
import { activationOf, ALL_BIASES, common, headDimOf, type Fields } from './fields.js';

/** BERT and what was made of it: norms after the sums, learned positions, no order of the tokens. */
function encoder(fields: Fields, family: Family): Architecture {
  fields.only('position_embedding_type', 'absolute');
  fields.only('is_decoder', false);
  const distilled = family === 'distilbert';
  const all = common(fields, distilled ? { layers: 'n_layers', heads: 'n_heads', hiddens: 'dim' } : undefined);
  const padId = family === 'roberta' ? 1 : 0;
  const pad = all.padId ?? padId;
  // RoBERTa's positions begin after the padding's.
  const first = family === 'roberta' ? pad + 1 : 0;
  const activation = activationOf(
    fields,
    distilled ? 'activation' : 'hidden_act',
    family === 'albert' ? 'gelu_new' : 'gelu',
  );
  if (all.maxLength <= first) fields.wrong('max_position_embeddings', `above ${first}`, all.maxLength);
  return {
    ...all,
    family,
    maxLength: all.maxLength - first,
    positions: { rows: all.maxLength, first },
    padId: pad,
    headDim: headDimOf(fields, all, distilled ? 'n_heads' : undefined),
    ffnHiddens: fields.size(distilled ? 'hidden_dim' : 'intermediate_size'),
    activation,
    // As in transformers, which has no choice here.
    headActivation: family === 'roberta' ? 'gelu' : activation,
    norm: 'layer',
    eps: distilled ? 1e-12 : fields.number('layer_norm_eps', 1e-12),
    order: 'post',
    causal: false,
    tokenTypes: distilled ? 0 : fields.size('type_vocab_size', 2),
    bias: ALL_BIASES,
    tied: fields.flag('tie_word_embeddings', true),
    names: ENCODERS[family]!,
  };
}

function albert(fields: Fields): Architecture {
  const all = encoder(fields, 'albert');
  fields.only('inner_group_num', 1);
  const groups = fields.size('num_hidden_groups', 1, 1024);
  return {
    ...all,
    embedding: fields.size('embedding_size', 128),
    groups: Array.from({ length: all.layers }, (_, i) => Math.floor((i * groups) / all.layers)),
  };
}

/** What the config of an encoder describes. */
export function readEncoder(fields: Fields, family: Family): Architecture {
  return family === 'albert' ? albert(fields) : encoder(fields, family);
}
