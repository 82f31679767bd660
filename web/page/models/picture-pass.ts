import { pixelsOf, type ModelForwardOptions } from 'wasm-attention/models';
import { likeliest } from '../../elements/kit.js';
import { patchHeadsOf, type PatchHeads } from '../../elements/patch-kit.js';
import type { PictureCheckpoint } from './checkpoint.js';
import type { ImageBytes } from './picture-bytes.js';
import type { Share } from './shares.js';

/** How many classes are shown. */
const CLASSES = 5;

/** The result of a pass over a picture. */
export interface PicturePass {
  readonly heads: PatchHeads;
  /** The most likely classes of a classifier. */
  readonly classes: readonly Share[] | undefined;
  /** What texts are compared with. */
  readonly embeds: Float32Array | undefined;
}

/** @throws RangeError for a preprocessor_config.json that the library does not support */
export async function runPicture(
  { model, imageConfig }: PictureCheckpoint,
  picture: ImageBytes,
  changes: Pick<ModelForwardOptions, 'ablate' | 'positions'>,
): Promise<PicturePass> {
  const pixels = pixelsOf(picture, imageConfig);
  const [, , height, width] = pixels.shape as [number, number, number, number];
  const [patches, { weights = [], logits, embeds }] = await Promise.all([
    model.patches(height, width),
    model.forward(pixels, { needWeights: true, ...changes }),
  ]);
  const { labels } = model;
  return {
    heads: patchHeadsOf({ weights, patches, picture, pixels }),
    classes: labels && logits && likeliest(logits.data, CLASSES).map(({ at, share }) => ({ name: labels[at]!, share })),
    embeds: embeds?.data,
  };
}
