/**
 * Pictures of circles, in patches. Each circle consists of four quarters, which lie in four patches. Some circles are whole;
 * the quarters of the others lie about. So pictures of as many quarters consist of the same patches, and only where these are
 * tells how many circles there are.
 */
import { randomNumbers } from '../task.js';

/** Patches in a row, and rows. */
export const GRID = 6;
export const PATCHES = GRID * GRID;
/** The side of a patch, in pixels. */
export const SIDE = 8;
/** The most circles in a picture, whole or not. */
export const MOST = 3;

/** Lines are from so many to so many pixels wide. */
const STROKES = [1, 2.5] as const;
/** The quarters of a circle, in reading order. */
const QUARTERS = [1, 2, 3, 4] as const;

/** A picture. */
export interface Picture {
  /** What is in each patch, in reading order: 0 is nothing, 1 to 4 are the quarters of a circle in reading order. */
  readonly pieces: readonly number[];
  /** How wide its lines are, in pixels. */
  readonly stroke: number;
}

/** A picture with the quarters of one to `MOST` circles. Each is whole with probability 1/2. */
export function randomPicture(random: () => number): Picture {
  const below = (count: number) => Math.floor(random() * count);
  const stroke = STROKES[0] + random() * (STROKES[1] - STROKES[0]);
  const circles = Array.from({ length: 1 + below(MOST) }, () => random() < 0.5);
  const whole = circles.filter(Boolean).length;
  // Drawn again if circles overlap, or if quarters that lie about make a circle.
  for (;;) {
    const pieces = new Array<number>(PATCHES).fill(0);
    const put = (piece: number, patch: number) => (pieces[patch] = piece);
    for (const isWhole of circles) {
      if (!isWhole) continue;
      const patches = patchesAt(below(GRID - 1), below(GRID - 1));
      QUARTERS.forEach((piece, i) => put(piece, patches[i]!));
    }
    if (circlesIn({ pieces }).length < whole) continue;
    for (const piece of circles.flatMap((isWhole) => (isWhole ? [] : QUARTERS))) {
      const empty = pieces.flatMap((each, patch) => (each === 0 ? [patch] : []));
      put(piece, empty[below(empty.length)]!);
    }
    if (circlesIn({ pieces }).length === whole) return { pieces, stroke };
  }
}

/** The picture of a seed. */
export function pictureOf(seed: number): Picture {
  return randomPicture(randomNumbers(seed));
}

/** The whole circles of a picture: the four patches of each. */
export function circlesIn({ pieces }: Pick<Picture, 'pieces'>): readonly (readonly number[])[] {
  const corners = Array.from(
    { length: (GRID - 1) ** 2 },
    (_, i) => [Math.floor(i / (GRID - 1)), i % (GRID - 1)] as const,
  );
  return corners
    .map(([row, column]) => patchesAt(row, column))
    .filter((patches) => patches.every((patch, i) => pieces[patch] === QUARTERS[i]));
}

/** A picture's pixels, (GRID · SIDE, GRID · SIDE), row by row: from 0 to 1, as far as a line covers them. */
export function pixelsOf({ pieces, stroke }: Picture): Float32Array {
  const size = GRID * SIDE;
  return Float32Array.from({ length: size * size }, (_, at) => {
    const [x, y] = [at % size, Math.floor(at / size)];
    const piece = pieces[GRID * Math.floor(y / SIDE) + Math.floor(x / SIDE)]!;
    if (piece === 0) return 0;
    // The circle's centre is a corner of the patch, and its outer edge touches two sides.
    const [centreX, centreY] = [piece % 2 === 1 ? SIDE : 0, piece < 3 ? SIDE : 0];
    const radius = Math.hypot((x % SIDE) + 0.5 - centreX, (y % SIDE) + 0.5 - centreY);
    const off = Math.abs(radius - (SIDE - stroke / 2));
    return Math.min(1, Math.max(0, (stroke + 1) / 2 - off));
  });
}

/** The four patches of a circle whose first one is in this row and column. */
function patchesAt(row: number, column: number): readonly number[] {
  const first = row * GRID + column;
  return [first, first + 1, first + GRID, first + GRID + 1];
}
