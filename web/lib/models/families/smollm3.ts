import type { Architecture } from '../config/architecture.js';
import { perLayer, windowOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with layers that do not turn, which alone may have a window. */
export function smollm3(fields: Fields): Architecture {
  const every = fields.size('no_rope_layer_interval', 4);
  const layers = fields.size('num_hidden_layers', undefined, 1024);
  // 1 stands for a layer that turns.
  const written = perLayer(fields, 'no_rope_layers', layers, [0, 1]);
  const turns = (layer: number) => (written ? written[layer] === 1 : (layer + 1) % every !== 0);
  const given = windowOf(fields);
  const window = fields.flag('use_sliding_window', false) ? given : undefined;
  const rotary = { defaultTheta: 2e6 };
  const all = llama(fields, { kvHeads: 4, tied: true, rotary, window, isWindowed: (layer) => !turns(layer) });
  return { ...all, rotary: all.rotary!.map((each, i) => (turns(i) ? each : undefined)) };
}
