import { scaleLinear } from 'd3-scale';
import { css, nothing, svg, type SVGTemplateResult } from 'lit';
import { hatchPattern } from '../heat-map/marks.js';
import { schemeRule } from '../light-dark.js';
import type { Localised } from '../localised.js';

const NARROW = 400;
const MARGIN = { top: 28, right: 8, bottom: 43, left: 34 };
/** The least distance of two numbers on the horizontal axis. */
const LEAST_STEP = 30;

/** A run of offsets that share a row of a table, and its value. */
export interface Bar {
  readonly row: number;
  readonly first: number;
  readonly last: number;
  readonly value: number;
}

/** The bars from left to right: neighbouring offsets of one row together. `rows` begins with the offset `from`. */
export function barsOf(rows: readonly number[], table: ArrayLike<number>, from: number): Bar[] {
  const bars: { row: number; first: number; last: number; value: number }[] = [];
  rows.forEach((row, at) => {
    const offset = from + at;
    const bar = bars.at(-1);
    if (bar?.row === row) bar.last = offset;
    else bars.push({ row, first: offset, last: offset, value: table[row] ?? NaN });
  });
  return bars;
}

/** Bars over the offsets j − i between `tokens` tokens; the one with the target is outlined. */
export function offsetBars(chart: {
  bars: readonly Bar[];
  /** If there is none, no bar is marked. */
  target: number | undefined;
  tokens: number;
  /** Whether keys after the query are masked: their half is hatched. Default false. */
  causal?: boolean;
  /** The chart's description, and the meaning of its heights. */
  label: string;
  name: string;
  /** The values at the ends of the vertical axis, before rounding. */
  domain: readonly [number, number];
  pixels: number;
  words: Localised;
}): SVGTemplateResult {
  const { bars, target, tokens, causal = false, label, name, domain, pixels, words } = chart;
  // On a phone the map, the sliders and their readouts are on the same screen.
  const height = pixels < NARROW ? 172 : 236;
  const x = scaleLinear([0.5 - tokens, tokens - 0.5], [MARGIN.left, pixels - MARGIN.right]);
  const y = scaleLinear(domain, [height - MARGIN.bottom, MARGIN.top]).nice(5);
  const bar = ({ first, last, value }: Bar): SVGTemplateResult => {
    const [left, right] = [x(first - 0.5) + 0.75, x(last + 0.5) - 0.75];
    const held = target !== undefined && first <= target && target <= last;
    return svg`<rect class="bar ${value < 0 ? 'negative' : ''} ${held ? 'held' : ''}" x=${left} width=${Math.max(0, right - left)}
      y=${Math.min(y(0), y(value))} height=${Math.max(1, Math.abs(y(value) - y(0)))}>
      <title>${first === last ? words.number(first) : `${words.number(first)} … ${words.number(last)}`}: ${words.value(value)}</title>
    </rect>`;
  };
  const value = (at: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${pixels - MARGIN.right} y1=${y(at)} y2=${y(at)} />
      <text x=${MARGIN.left - 6} y=${y(at)} dy="0.35em" text-anchor="end">${words.number(at)}</text>`;
  const offset = (at: number): SVGTemplateResult =>
    svg`<text x=${x(at)} y=${height - MARGIN.bottom + 16} text-anchor="middle">${words.number(at)}</text>`;
  const step = x(5) - x(0) < LEAST_STEP ? 10 : 5;
  const ticks = Math.floor((tokens - 1) / step);
  const offsets = Array.from({ length: 2 * ticks + 1 }, (_, index) => (index - ticks) * step);
  return svg`<svg height=${height} role="img" aria-label=${label}>
    ${y.ticks(4).map(value)}${offsets.map(offset)}
    ${
      causal
        ? svg`${hatchPattern()}<rect x=${x(0.5)} width=${x(tokens - 0.5) - x(0.5)} y=${MARGIN.top}
            height=${height - MARGIN.bottom - MARGIN.top} fill="url(#hatch)" />`
        : nothing
    }
    <text x="0" y="10">${name}</text>
    ${bars.map(bar)}
    <line class="zero" x1=${MARGIN.left} x2=${pixels - MARGIN.right} y1=${y(0)} y2=${y(0)} />
    ${target === undefined ? nothing : svg`<path class="target" d="M${x(target)},${height - MARGIN.bottom + 1}l-5,6h10z" transform="translate(0 18)" />`}
    <text x=${(MARGIN.left + pixels - MARGIN.right) / 2} y=${height - 2} text-anchor="middle">${words.text('relative.offset')}</text>
  </svg>`;
}

/**
 * The bars and a map beside them, or one below the other on narrow pages. The figure sets the width of each for wide
 * pages.
 */
export const offsetBarStyles = css`
  .pictures {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem 1.5rem;
  }
  @container (max-width: 37rem) {
    .map {
      justify-self: center;
      width: 15rem;
      max-width: 100%;
    }
  }
  .hatch {
    fill: var(--_quiet);
    opacity: 0.45;
  }
  .zero {
    stroke: var(--_quiet);
  }
  .bar {
    fill: var(--_series-0);
  }
  /* As in a map of such values. */
  ${schemeRule('.negative', (pick) => `fill: ${pick('#d6604d', '#c25450')};`)}
  .held {
    stroke: var(--_ink);
    stroke-width: 2;
  }
  .target {
    fill: var(--_accent);
  }
`;
