import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { towerOf } from '../config/towers.js';
import { clipText } from './clip_text_model.js';
import { clipVision } from './clip_vision_model.js';

/** One of two towers, whose vectors a projection makes comparable. */
export function clip(fields: Fields): Architecture {
  return towerOf(fields, { vision: clipVision, text: clipText }, (tower) => ({
    ...tower,
    projection: { ...tower.projection!, outputs: fields.size('projection_dim', 512), isOptional: false },
    names: { ...tower.names, logitScale: 'logit_scale' },
  }));
}
