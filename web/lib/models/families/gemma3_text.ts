import type { Architecture } from '../config/architecture.js';
import { FULL, SLIDING, type Fields } from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';
import { gemma2 } from './gemma2.js';

/** Gemma 2 with norms of queries and keys, and another base in layers with a window; tokens may see both ways. */
export function gemma3Text(fields: Fields): Architecture {
  const isBoth = fields.flag('use_bidirectional_attention', false);
  const every = fields.size('sliding_window_pattern', 6);
  // transformers reads this field, but its attention caps nothing.
  fields.get('attn_logit_softcapping');
  const all = gemma2(fields, {
    windowOf: (width) => {
      const side = Math.floor(width / 2);
      return isBoth ? { left: side, right: side } : { left: width - 1 };
    },
    isWindowed: (layer) => (layer + 1) % every !== 0,
    scoresCap: () => undefined,
    logitsCap: undefined,
    rotary: { defaultTheta: 1e6, type: FULL },
  });
  const local = rotaryOf(fields, all, { theta: 'rope_local_base_freq', turnsParts: false, type: SLIDING, apart: true });
  return {
    ...all,
    causal: !isBoth,
    rotary: all.windows.map((window, i) => (window ? local : all).rotary![i]),
    names: {
      ...all.names,
      layer: (i) => ({
        ...all.names.layer(i),
        queryNorm: `layers.${i}.self_attn.q_norm`,
        keyNorm: `layers.${i}.self_attn.k_norm`,
      }),
    },
  };
}
