import type { Architecture } from '../config/architecture.js';
import { biases, windowOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with biases of queries, keys and values, and optionally a sliding window in the upper layers. */
export function qwen2(fields: Fields, kind?: Parameters<typeof llama>[1]): Architecture {
  const given = windowOf(fields, 4096);
  const window = fields.flag('use_sliding_window', false) ? given : undefined;
  const first = window === undefined ? 0 : fields.size('max_window_layers', 28, 2 ** 30, 0);
  const all = llama(fields, { kvHeads: 32, window, isWindowed: (layer) => layer >= first, ...kind });
  return { ...all, bias: { ...biases(false), qkv: true } };
}
