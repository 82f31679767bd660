/** Reads what encoders of pictures have in common. */
import type { Pictures, SpecialTokens } from './architecture.js';
import type { Fields } from './fields.js';

/** @param patch the default of `patch_size` */
export function picturesOf(fields: Fields, patch: number, specials: readonly SpecialTokens[]) {
  const [height, width] = sidesOf(fields, 'image_size', 224);
  const [side, other] = sidesOf(fields, 'patch_size', patch);
  if (side !== other) fields.wrong('patch_size', 'of equal sides', `${side}×${other}`);
  const least = Math.min(height, width);
  if (least < side) fields.wrong('image_size', `of at least a patch (${side})`, least);
  const patches = Math.floor(height / side) * Math.floor(width / side);
  const pictures: Pictures = {
    channels: fields.size('num_channels', 3),
    patch: side,
    hasBias: true,
    height,
    width,
    specials,
    keepsTable: true,
    resizing: 'four',
  };
  return {
    pictures,
    vocab: 0,
    maxLength: patches + countOf(specials),
    positionKind: 'learned' as const,
    positions: { rows: patches + countOf(specials.filter(({ hasPositions }) => hasPositions)), first: 0 },
  };
}

/** A tensor of tokens in front of the patches. */
export function special(name: string, shape: readonly number[], hasPositions = true): SpecialTokens {
  return { name, shape, count: shape.at(-2) ?? 1, hasPositions };
}

export function countOf(specials: readonly { readonly count: number }[]): number {
  return specials.reduce((sum, { count }) => sum + count, 0);
}

/** One number for both, or height and width. */
function sidesOf(fields: Fields, field: string, otherwise: number): readonly [number, number] {
  const given: unknown = fields.has(field) ? (fields.get(field) ?? null) : otherwise;
  const sides: readonly unknown[] = Array.isArray(given) ? given : [given, given];
  const isSide = (side: unknown): boolean =>
    Number.isInteger(side) && (side as number) > 0 && (side as number) < 2 ** 24;
  if (sides.length !== 2 || !sides.every(isSide)) fields.wrong(field, 'to be a size, or height and width', given);
  return sides as readonly [number, number];
}
