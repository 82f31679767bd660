/** The files of both models in a module of their own, which is loaded with the figure. */
import { bytesOf } from '../shared/data-url.js';
import config from './with-positions/config.json';
import withPositions from './with-positions/model.safetensors?url&inline';
import withoutPositions from './without-positions/model.safetensors?url&inline';

/** What `openModel` needs for a model with positions or without. Both have the same config. */
export function filesOf(positions: boolean): { config: object; weights: Uint8Array<ArrayBuffer> } {
  return { config, weights: bytesOf(positions ? withPositions : withoutPositions) };
}
