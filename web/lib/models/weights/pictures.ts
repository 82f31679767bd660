import type { Pictures } from '../config/architecture.js';
import { partOf, type Source } from './parts.js';
import type { Store } from './store.js';
import type { PictureWeights } from './types.js';

/** What makes tokens of pictures. */
export function pictureWeights(
  store: Store,
  module: string,
  { channels, patch, hasBias, specials }: Pictures,
  hiddens: number,
): PictureWeights {
  // A convolution's weight.
  const map: Source = (tensor, outputs, inputs) => ({
    ...partOf(module, tensor, outputs, inputs),
    ...(tensor === 'weight' && { shape: [outputs, channels, patch, patch] }),
  });
  return {
    patches: store.linear(map, channels * patch ** 2, hiddens, hasBias),
    specials: specials.map(({ name, shape, count }) => ({ address: store.plain(name, shape), count })),
  };
}
