import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { special } from '../config/pictures.js';
import { dinov2 } from './dinov2.js';

/** DINOv2 with tokens without positions behind the class token, which collect what concerns the whole picture. */
export function dinov2WithRegisters(fields: Fields): Architecture {
  const registers = fields.size('num_register_tokens', 4, 2 ** 16, 0);
  const all = dinov2(fields, {
    patch: 16,
    specials: (width) => [
      special('embeddings.cls_token', [1, 1, width]),
      special('embeddings.register_tokens', [1, registers, width], false),
    ],
  });
  return {
    ...all,
    pictures: { ...all.pictures!, resizing: 'antialias' },
    names: { ...all.names, prefix: 'dinov2_with_registers.' },
  };
}
