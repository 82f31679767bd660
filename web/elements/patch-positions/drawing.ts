import { svg, type SVGTemplateResult } from 'lit';
import { GRID, SIDE, type Picture } from '../../training/index.js';

const SIZE = GRID * SIDE;
const LINES = Array.from({ length: GRID - 1 }, (_, i) => (i + 1) * SIDE);

/** The window of a drawing of a picture, whose unit is a pixel of the model's. */
export const VIEW_BOX = `0 0 ${SIZE} ${SIZE}`;

/** The edges of the patches. */
export function grid(): SVGTemplateResult {
  const path = LINES.map((at) => `M ${at} 0 V ${SIZE} M 0 ${at} H ${SIZE}`).join(' ');
  return svg`<rect class="paper" width=${SIZE} height=${SIZE} /><path class="edges" d=${path} />`;
}

/** The lines of a picture, with a halo. */
export function quarters({ pieces, stroke }: Picture): SVGTemplateResult {
  const path = pieces.flatMap((piece, patch) => (piece === 0 ? [] : [quarter(piece, patch, stroke)])).join(' ');
  return svg`<path class="around" d=${path} stroke-width=${stroke + 1} /><path class="quarter" d=${path} stroke-width=${stroke} />`;
}

/** The arc of a quarter around a corner of its patch, as `pixelsOf` paints it. */
function quarter(piece: number, patch: number, stroke: number): string {
  const radius = SIDE - stroke / 2;
  const [isLeft, isUpper] = [piece % 2 === 1, piece < 3];
  const x = ((patch % GRID) + (isLeft ? 1 : 0)) * SIDE;
  const y = (Math.floor(patch / GRID) + (isUpper ? 1 : 0)) * SIDE;
  const to = `${x} ${isUpper ? y - radius : y + radius}`;
  return `M ${isLeft ? x - radius : x + radius} ${y} A ${radius} ${radius} 0 0 ${isLeft === isUpper ? 1 : 0} ${to}`;
}

/** The frame around the patch at a place. */
export function frame(place: number): SVGTemplateResult {
  const [x, y] = [(place % GRID) * SIDE, Math.floor(place / GRID) * SIDE];
  const box = (name: string): SVGTemplateResult =>
    svg`<rect class=${name} x=${x} y=${y} width=${SIDE} height=${SIDE} vector-effect="non-scaling-stroke" />`;
  return svg`${box('halo')}${box('cursor')}`;
}
