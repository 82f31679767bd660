import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { special } from '../config/pictures.js';
import { vit } from './vit.js';

/** ViT with a distillation token, which learned from a teacher. */
export function deit(fields: Fields): Architecture {
  const specials = (width: number) =>
    ['cls_token', 'distillation_token'].map((name) => special(`embeddings.${name}`, [1, 1, width]));
  const all = vit(fields, { specials });
  return {
    ...all,
    names: { ...all.names, prefix: 'deit.' },
    tasks: {
      ...all.tasks,
      ImageClassificationWithTeacher: {
        reads: 'first',
        decoder: 'cls_classifier',
        also: { reads: 'second', decoder: 'distillation_classifier' },
        // Their mean.
        scale: 0.5,
      },
    },
  };
}
