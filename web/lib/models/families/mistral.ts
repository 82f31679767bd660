import type { Architecture } from '../config/architecture.js';
import { biases, windowsOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with a sliding window. */
export function mistral(fields: Fields): Architecture {
  const all = llama(fields, { kvHeads: 8 });
  // null means that there is none.
  const width = fields.has('sliding_window') ? fields.sizeOrNull('sliding_window', 2 ** 30) : 4096;
  const window = width === undefined ? undefined : { left: width - 1 };
  const windows = windowsOf(fields, all.layers, window);
  // transformers does not read the types of layers: all of them have the window.
  if (windows.includes(undefined)) fields.wrong('layer_types', 'of sliding_attention alone', 'others');
  return { ...all, bias: biases(false), windows };
}
