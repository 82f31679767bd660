import type { Architecture } from '../config/architecture.js';
import { biases, windowsOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with biases of queries, keys and values, and optionally a sliding window in the upper layers. */
export function qwen2(fields: Fields, kind?: Parameters<typeof llama>[1]): Architecture {
  const all = llama(fields, { kvHeads: 32, ...kind });
  const width = fields.has('sliding_window') ? fields.sizeOrNull('sliding_window', 2 ** 30) : 4096;
  const hasWindow = fields.flag('use_sliding_window', false) && width !== undefined;
  const window = hasWindow ? { left: width - 1 } : undefined;
  const first = window === undefined ? 0 : fields.size('max_window_layers', 28, 2 ** 30, 0);
  return {
    ...all,
    bias: { ...biases(false), qkv: true },
    windows: windowsOf(fields, all.layers, window, (layer) => layer >= first),
  };
}
