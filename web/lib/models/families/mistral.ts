import type { Architecture } from '../config/architecture.js';
import { biases, windowsOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with a sliding window. */
export function mistral(fields: Fields): Architecture {
  const all = llama(fields, { kvHeads: 8 });
  // null means that there is none.
  const isOff = fields.has('sliding_window') && fields.get('sliding_window') === undefined;
  const window = isOff ? undefined : { left: fields.size('sliding_window', 4096, 2 ** 30) - 1 };
  return { ...all, bias: biases(false), windows: windowsOf(fields, all.layers, window) };
}
