import { pixelsOf, type ModelForwardOptions, type Pixels } from 'wasm-attention/models';
import { likeliest } from '../../elements/kit.js';
import { patchHeadsOf, type PatchHeads } from '../../elements/patch-kit.js';
import type { PictureCheckpoint } from './checkpoint.js';
import type { ImageBytes } from './picture-bytes.js';
import type { Share } from './shares.js';

/** How many classes are shown. */
const CLASSES = 5;

/** A picture, and what a model reads of it. */
export interface Prepared {
  readonly image: ImageBytes;
  readonly pixels: Pixels;
}

/** The result of a pass over a picture. */
export interface PicturePass {
  readonly heads: PatchHeads;
  /** The most likely classes of a classifier. */
  readonly classes: readonly Share[] | undefined;
  /** What texts are compared with. */
  readonly embeds: Float32Array | undefined;
}

/** @throws RangeError for a preprocessor_config.json that the library does not support */
export function prepared(image: ImageBytes, { imageConfig }: PictureCheckpoint): Prepared {
  return { image, pixels: pixelsOf(image, imageConfig) };
}

export async function runPicture(
  { model }: PictureCheckpoint,
  given: Prepared,
  changes: Pick<ModelForwardOptions, 'ablate' | 'positions'>,
): Promise<PicturePass> {
  const [, , height, width] = given.pixels.shape as [number, number, number, number];
  const [patches, { weights = [], logits, embeds }] = await Promise.all([
    model.patches(height, width),
    model.forward(given.pixels, { needWeights: true, ...changes }),
  ]);
  const { labels } = model;
  const { size, rows, columns } = patches;
  const seen = seenOf(given, (size * rows) / height, (size * columns) / width);
  return {
    heads: patchHeadsOf({ weights, patches, ...seen }),
    classes: labels && logits && likeliest(logits.data, CLASSES).map(({ at, share }) => ({ name: labels[at]!, share })),
    embeds: embeds?.data,
  };
}

/** The part of the picture that the patches cover: these shares of what the model reads. */
function seenOf({ image, pixels: { region } }: Prepared, tall: number, wide: number) {
  const { x, y } = region;
  const [width, height] = [region.width * wide, region.height * tall];
  if (x >= 0 && y >= 0) {
    const part = { x, y, width: Math.min(width, image.width - x), height: Math.min(height, image.height - y) };
    return { picture: image, region: part };
  }
  // Models see black around a picture that is smaller than their crop.
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) });
  const context = canvas.getContext('2d')!;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.putImageData(new ImageData(image.data, image.width, image.height), -x, -y);
  return { picture: canvas };
}
