/** Fields that a family does not read. */
import type { Architecture } from './architecture.js';
import { windowsOf, type Fields } from './fields.js';

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

/** Throws a RangeError for a field that its family has not read and that would change results. */
export function checkUnread(fields: Fields, { layers, causal }: Architecture): void {
  // Factors of 1 change nothing.
  for (const field of CHANGES) if (!fields.isRead(field)) fields.without(field, 1);
  if (!fields.isRead('sliding_window') && fields.get('use_sliding_window') !== false) fields.without('sliding_window');
  // A family that does not read them has the same attention in all layers, or kinds of its own.
  if (!fields.isRead('layer_types')) windowsOf(fields, layers, undefined);
  // Some versions of transformers let all tokens see each other where it is false.
  if (causal) fields.only('is_causal', true);
}
