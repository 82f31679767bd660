import { css, html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { pointerIn } from '../controls/pointer-in.js';

/**
 * Curves that are read below the pointer.
 *
 * @param read receives the pointer's distance from the left in CSS pixels, or undefined when it has left
 */
export function readable(curves: SVGTemplateResult, read: (left: number | undefined) => void): TemplateResult {
  const point = (event: PointerEvent): void => read(pointerIn(event).x);
  // A finger leaves when it is lifted, which is when its reader looks.
  const leave = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse') read(undefined);
  };
  return html`<div class="readable" @pointermove=${point} @pointerdown=${point} @pointerleave=${leave}>${curves}</div>`;
}

/** The vertical line through the values that are read. */
export function readingLine(x: number, top: number, bottom: number, where: string): SVGTemplateResult {
  return svg`<line class="reading" x1=${x} x2=${x} y1=${top} y2=${bottom} />
    <text x=${x} y=${top - 5} text-anchor="middle">${where}</text>`;
}

export const readingStyles = css`
  .reading {
    stroke: var(--_track);
  }
`;
