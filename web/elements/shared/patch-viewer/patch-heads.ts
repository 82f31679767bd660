import type { PatchArrays, Patches, Region } from '../../package-types.js';
import { checkWords } from '../arrays/shaped.js';
import { headsOf, NO_HEADS, type Heads } from '../heads/heads.js';
import { cropOf } from './picture.js';

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
