import { checkWords } from '../arrays/shaped.js';
import { headsOf, NO_HEADS, type HeadArrays, type Heads } from '../heads/heads.js';
import { cropOf, type PictureForm, type Region } from './picture.js';

/** Where the patches of a picture are among a model's tokens, as `patches` of a vision model says it. */
export interface Patches {
  /** The number of tokens before the patches. */
  readonly first: number;
  /** The patch in row r and column c is token `first + r * columns + c`. */
  readonly rows: number;
  readonly columns: number;
  /** The side of a patch in the model's pixels. */
  readonly size?: number;
}

/** What `loadArrays` takes. */
export interface PatchArrays {
  /**
   * (T, T), (H, T, T) or (layers, H, T, T), where T is `first + rows * columns`; or a list with (H, T, T) or (B, H, T, T)
   * per layer, as models return them.
   */
  readonly weights: HeadArrays['weights'];
  /** Which of the B pictures of a batch is shown, from 0. Default: the only one. */
  readonly sample?: number;
  /** The picture that the model has seen, or the one that this was cut out of: see `region`. */
  readonly picture: PictureForm;
  /** The part of `picture` that the patches cover, black where it is larger. Default: all. */
  readonly region?: Region;
  /** What `pixelsOf` made of `picture`, instead of `region`: the patches cover all of it that fills one. */
  readonly pixels?: { readonly shape: readonly number[]; readonly region: Region };
  /** Where the patches are among the tokens. */
  readonly patches: Patches;
  /**
   * The names of the tokens before the patches; `class`, `distillation` and `register` are translated. Default: the first
   * one is the class token, the others have numbers.
   */
  readonly tokens?: readonly string[];
}

/** The weights of all heads of all layers over a picture. */
export interface PatchHeads extends Pick<Heads, 'layers' | 'heads' | 'mapOf'> {
  readonly patches: Patches;
  /** The names of the tokens before the patches. */
  readonly special: readonly string[];
  /** What the patches cover. */
  readonly picture: HTMLCanvasElement | undefined;
}

export const NO_PATCHES: PatchHeads = {
  ...NO_HEADS,
  patches: { first: 0, rows: 0, columns: 0 },
  special: [],
  picture: undefined,
};

/**
 * Reads arrays of weights and a picture, of which it keeps a copy. Maps are views of the caller's array where possible.
 *
 * @throws TypeError for anything but arrays of numbers and a picture
 * @throws RangeError for shapes, sizes or numbers of tokens that do not match
 */
export function patchHeadsOf(arrays: PatchArrays): PatchHeads {
  return { ...gridOf(arrays), picture: cropOf(arrays.picture, regionOf(arrays)) };
}

/** The part of the picture that the patches cover; undefined stands for all. */
export function regionOf({
  region,
  pixels,
  patches: { rows, columns, size },
}: Pick<PatchArrays, 'region' | 'pixels' | 'patches'>): Region | undefined {
  if (pixels === undefined) return region;
  const { shape, region: read } = (pixels ?? {}) as Partial<typeof pixels>;
  if (Object(read) !== read || !Array.isArray(shape))
    throw new TypeError('loadArrays: expected pixels as pixelsOf returns them, with shape and region');
  if (size === undefined) return read;
  const [height, width] = shape.slice(-2) as [number, number];
  if (Math.floor(height / size) !== rows || Math.floor(width / size) !== columns)
    throw new RangeError(
      `loadArrays: expected pixels of ${rows} × ${columns} patches of ${size} × ${size}, got (${shape.join(', ')})`,
    );
  return { ...read!, width: (read!.width * columns * size) / width, height: (read!.height * rows * size) / height };
}

/** The weights, patches and names alone. */
export function gridOf({
  weights,
  sample,
  patches,
  tokens,
}: Omit<PatchArrays, 'picture'>): Omit<PatchHeads, 'picture'> {
  const { first, rows, columns } = checked(patches);
  const heads = headsOf({ weights, ...(sample !== undefined && { sample }) });
  const [count, expected] = [heads.tokens.length, first + rows * columns];
  if (heads.keyTokens.length !== count || count !== expected)
    throw new RangeError(
      `loadArrays: expected weights of ${expected} by ${expected} tokens for ${rows} × ${columns} patches after ${first} others, got ${count} by ${heads.keyTokens.length}`,
    );
  const special =
    checkWords('tokens', tokens, first) ?? Array.from({ length: first }, (_, i) => (i === 0 ? 'class' : ''));
  return { layers: heads.layers, heads: heads.heads, mapOf: heads.mapOf, patches, special };
}

function checked(patches: Patches): Patches {
  const { first, rows, columns, size = 1 } = (patches ?? {}) as Partial<Patches>;
  for (const [name, value] of Object.entries({ first, rows, columns, size })) {
    const least = name === 'first' ? 0 : 1;
    if (!Number.isInteger(value) || value! < least)
      throw new RangeError(
        `loadArrays: expected patches.${name} to be a whole number of at least ${least}, got ${String(value)}`,
      );
  }
  return patches;
}
