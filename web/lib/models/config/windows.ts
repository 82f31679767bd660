import type { Family } from './architecture.js';
import type { Fields } from './fields.js';

/**
 * How many keys each layer's queries see: `layer_types` says it, or else those from `max_window_layers` on see a
 * window.
 */
export function windowsOf(fields: Fields, family: Family, layers: number, window: number): (number | undefined)[] {
  const first = family === 'mistral' ? 0 : fields.size('max_window_layers', 28, 2 ** 30, 0);
  const types = fields.get('layer_types');
  if (types !== undefined && (!Array.isArray(types) || types.length !== layers)) {
    fields.wrong('layer_types', `of ${layers} layers`, types);
  }
  return Array.from({ length: layers }, (_, i) => {
    if (types === undefined) return i >= first ? window : undefined;
    const type: unknown = (types as readonly unknown[])[i];
    if (type !== 'full_attention' && type !== 'sliding_attention') {
      fields.wrong('layer_types', 'of full_attention and sliding_attention', type);
    }
    return type === 'sliding_attention' ? window : undefined;
  });
}
