import { wrongValue } from '../../check/values.js';
import { OPERATION } from './architecture.js';
import { eosOf, idOf, type Fields } from './fields.js';

/** What all families have in common, under the names that most of them use. */
export function common(
  fields: Fields,
  names: Partial<Record<'layers' | 'heads' | 'hiddens' | 'maxLength', string>> = {},
) {
  const layers = fields.size(names.layers ?? 'num_hidden_layers', undefined, 1024);
  const heads = fields.size(names.heads ?? 'num_attention_heads', undefined, 2 ** 12);
  const hiddens = fields.size(names.hiddens ?? 'hidden_size');
  const maxLength = fields.size(names.maxLength ?? 'max_position_embeddings', undefined, 2 ** 30);
  const vocab = fields.size('vocab_size');
  const architectures = fields.get('architectures');
  const head: unknown = Array.isArray(architectures) ? (architectures as unknown[])[0] : undefined;
  fields.only('add_cross_attention', false);
  return {
    layers,
    heads,
    kvHeads: heads,
    hiddens,
    maxLength,
    vocab,
    embedding: hiddens,
    groups: Array.from({ length: layers }, (_, i) => i),
    windows: Array<undefined>(layers).fill(undefined),
    eos: eosOf(fields),
    padId: idOf(fields, 'pad_token_id'),
    tokenTypes: 0,
    qkNorm: false,
    gated: false,
    head: typeof head === 'string' ? head : '',
  };
}

/** A head's width, where it is a part of the model's. */
export function headDimOf(fields: Fields, hiddens: number, heads: number): number {
  if (hiddens % heads !== 0)
    wrongValue(OPERATION, `${fields.name('number of heads')} to divide ${hiddens}`, heads);
  return hiddens / heads;
}

export const ALL_BIASES = { qkv: true, output: true, ffn: true };
