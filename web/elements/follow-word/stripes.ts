import { html, nothing, svg, type TemplateResult } from 'lit';

/** Numbers as stripes from a line: up if they are positive, down if negative; `outlined` ones are behind. */
export interface Stripes {
  readonly values: ArrayLike<number>;
  /** The number whose stripe is as high as there is room for. */
  readonly reach: number;
  readonly outlined?: ArrayLike<number>;
  /** Whether there is no room below the line. */
  readonly positive?: boolean;
  /** The stripes to frame: the first one, and how many. */
  readonly framed?: readonly [first: number, count: number];
}

export function stripes({ values, reach, outlined, positive = false, framed }: Stripes): TemplateResult {
  const { length } = values;
  return html`<svg
    class="stripes"
    viewBox="0 0 ${length} ${positive ? 1 : 2}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${outlined === undefined ? nothing : svg`<path class="outline" d=${pathOf(outlined, reach)} />`}
    <path class="fill" d=${pathOf(values, reach)} />
    <path class="line" d="M0 1H${length}" />
    ${framed === undefined ? nothing : svg`<rect class="frame" x=${framed[0]} width=${framed[1]} height="2" />`}
  </svg>`;
}

/** A stripe for each number in a column one unit wide, from the line at 1. */
function pathOf(values: ArrayLike<number>, reach: number): string {
  return Array.from(values, (value, i) => `M${i + 0.12} 1v${(-value / reach).toFixed(3)}h.76V1z`).join('');
}

/** The largest absolute value. */
export function reachOf(...all: readonly ArrayLike<number>[]): number {
  return Math.max(1e-6, ...all.flatMap((values) => Array.from(values, Math.abs)));
}

/** A bar from one place to another, in per cent, with a mark where it ended before, and a line at `zero`. */
export function bar(from: number, to: number, before: number, zero = 0): TemplateResult {
  return html`<svg class="bar" aria-hidden="true">
    <rect class="fill" x="${Math.min(from, to)}%" width="${Math.abs(to - from)}%" height="100%" />
    ${before === to ? nothing : svg`<rect class="before" x="${before}%" width="2" height="100%" />`}
    <line class="zero" x1="${zero}%" x2="${zero}%" y2="100%" />
  </svg>`;
}
