import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

/** The length of a line sample, in CSS pixels: a period of every line style. */
const SAMPLE = 22;

/**
 * A curve's name after a line sample, or after a value that is read from it. (x, y) is where the sample begins; `style`
 * are its classes for colour and line style.
 */
export function curveLabel(style: string, x: number, y: number, name: string, value?: string): SVGTemplateResult {
  return svg`${
    value === undefined
      ? svg`<path class="sample ${style}" d="M${x} ${y}h${SAMPLE}" />`
      : svg`<text class="curve-label ${style}" x=${x + SAMPLE} y=${y} dy="0.35em" text-anchor="end">${value}</text>`
  }
    <text class="curve-label ${style}" x=${x + SAMPLE + 5} y=${y} dy="0.35em">${name}</text>`;
}

/** The name of something that has a curve, after a line sample: the label of a choice. */
export function sampled(style: string, name: string): TemplateResult {
  return html`<svg class="line-sample" width=${SAMPLE} height="8" aria-hidden="true">
      <path class="sample ${style}" d="M0 4h${SAMPLE}" /></svg
    >${name}`;
}

/**
 * Moves overlapping labels apart by as little as possible: neighbours are at least `gap` apart and all stay within
 * [top, bottom]. Takes and returns heights in the same order.
 */
export function spreadLabels(heights: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height);
  let floor = top;
  for (const label of order) {
    label.height = Math.max(label.height, floor);
    floor = label.height + gap;
  }
  let ceiling = bottom;
  for (const label of order.reverse()) {
    label.height = Math.min(label.height, ceiling);
    ceiling = label.height - gap;
  }
  const spread = new Array<number>(heights.length);
  for (const { height, index } of order) spread[index] = height;
  return spread;
}
