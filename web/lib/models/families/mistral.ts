import type { Architecture } from '../config/architecture.js';
import { biases, windowOf, type Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** Llama with a sliding window. */
export function mistral(fields: Fields): Architecture {
  return { ...llama(fields, { kvHeads: 8, window: windowOf(fields, 4096) }), bias: biases(false) };
}
