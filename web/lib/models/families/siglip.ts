import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { towerOf } from '../config/towers.js';
import { siglipVision } from './siglip_vision_model.js';

/** The tower of pictures of two. */
export function siglip(fields: Fields): Architecture {
  return towerOf(fields, { vision: siglipVision }, (tower) => ({
    ...tower,
    names: { ...tower.names, logitScale: 'logit_scale', logitBias: 'logit_bias' },
  }));
}
