/** Reads a config.json of Hugging Face's transformers. */
import { wrongValue } from '../../check/values.js';
import { FAMILIES, type Family } from '../families/index.js';
import { OPERATION, type Architecture } from './architecture.js';
import { eosOf, Fields, plainCopy, windowsOf } from './fields.js';

/** Fields that change results where a family has them. One that a family does not read makes the config another's. */
const CHANGES = [
  'alibi',
  'attention_multiplier',
  'attn_logit_softcapping',
  'clip_qkv',
  'embedding_multiplier',
  'final_logit_softcapping',
  'is_encoder_decoder',
  'logit_scale',
  'logits_scaling',
  'n_routed_experts',
  'no_rope_layers',
  'num_experts',
  'num_local_experts',
  'parallel_attn',
  'qk_layernorm',
  'query_pre_attn_scalar',
  'residual_multiplier',
  'rope_local_base_freq',
  'rope_parameters',
  'rope_scaling',
  'use_bidirectional_attention',
  'use_parallel_residual',
  'use_qk_norm',
];

/**
 * Reads the architecture that a config describes. The end tokens of a generation_config.json come before the config's.
 *
 * @throws TypeError if one is not an object; RangeError that names a field that is missing, wrong or not supported
 */
export function readConfig(config: unknown, generationConfig?: unknown): Architecture {
  const fields = fieldsOf('config', config);
  const generation = generationConfig == null ? undefined : fieldsOf('generationConfig', generationConfig);
  const family = fields.get('model_type');
  if (typeof family !== 'string' || !Object.hasOwn(FAMILIES, family)) {
    fields.wrong('model_type', `to be one of ${Object.keys(FAMILIES).join(', ')}`, family);
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  const architecture = FAMILIES[family as Family](fields);
  // Factors of 1 change nothing.
  for (const field of CHANGES) if (!fields.isRead(field)) fields.without(field, 1);
  if (!fields.isRead('sliding_window') && fields.get('use_sliding_window') !== false) fields.without('sliding_window');
  // A family that does not read them has the same attention in all layers, or kinds of its own.
  if (!fields.isRead('layer_types')) windowsOf(fields, architecture.layers, undefined);
  // Some versions of transformers let all tokens see each other where it is false.
  if (architecture.causal) fields.only('is_causal', true);
  return generation?.get('eos_token_id') === undefined ? architecture : { ...architecture, eos: eosOf(generation) };
}

const fieldsOf = (name: string, config: unknown) => new Fields(plainCopy(OPERATION, name, config), `${name}.`);
