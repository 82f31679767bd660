import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { roberta } from './roberta.js';

/** RoBERTa with a bias for each distance, other names, and no token types. */
export function mpnet(fields: Fields): Architecture {
  const all = roberta(fields, { padId: 1 });
  const { types: _, ...names } = all.names;
  return {
    ...all,
    tokenTypes: 0,
    positionKind: 'relative',
    relativeBias: { rows: fields.size('relative_attention_num_buckets', 32, undefined, 32), rowOf: bucketOf },
    names: {
      ...names,
      prefix: 'mpnet.',
      relativeBias: 'encoder.relative_attention_bias',
      layer: (i) => {
        const at = `encoder.layer.${i}`;
        return {
          ...names.layer(i),
          query: `${at}.attention.attn.q`,
          key: `${at}.attention.attn.k`,
          value: `${at}.attention.attn.v`,
          output: `${at}.attention.attn.o`,
          norm1: `${at}.attention.LayerNorm`,
        };
      },
    },
  };
}

/** T5's buckets, 16 for keys up to the query and 16 for those after it, whatever the config says. */
function bucketOf(distance: number): number {
  const n = Math.abs(distance);
  const bucket = n < 8 ? n : Math.min(15, 8 + Math.trunc((Math.log(n / 8) / Math.log(16)) * 8));
  return distance > 0 ? 16 + bucket : bucket;
}
