import type { Architecture } from '../config/architecture.js';
import { biases, windowOf, type Fields } from '../config/fields.js';
import { rowsOf } from '../weights/parts.js';
import { llama } from './llama.js';

/** Llama with maps that lie one under another, and optionally a sliding window. */
export function phi3(fields: Fields): Architecture {
  const window = windowOf(fields);
  const rotary = { turnsParts: true, scalings: ['longrope'], trained: 4096 };
  const all = llama(fields, { eps: 1e-5, rotary, window });
  // transformers does not read the types of layers: all of them have the window.
  if (window && all.windows.includes(undefined)) fields.wrong('layer_types', 'of sliding_attention alone', 'others');
  const [queries, keys] = [all.heads * all.headDim, all.kvHeads * all.headDim];
  return {
    ...all,
    bias: biases(false),
    names: {
      ...all.names,
      layer: (i) => {
        const of = (start: number) => rowsOf(`layers.${i}.self_attn.qkv_proj`, start, queries + 2 * keys);
        return {
          ...all.names.layer(i),
          query: of(0),
          key: of(queries),
          value: of(queries + keys),
          up: `layers.${i}.mlp.gate_up_proj`,
        };
      },
    },
  };
}
