import { css, svg, html, type SVGTemplateResult, type TemplateResult } from 'lit';

/**
 * How the curves of P's columns look. The two columns of a pair (2j, 2j+1) have the same frequency and share a colour; every
 * column of the drawing has its own line style, so that colours are not needed.
 */
export function seriesOf(columns: readonly number[]): { column: number; className: string }[] {
  const pairs = [...new Set(columns.map((column) => column >> 1))];
  return columns.map((column, index) => ({
    column,
    className: `series colour-${pairs.indexOf(column >> 1) % 3} dash-${index % 6}`,
  }));
}

/** A strip above a heat map that shows which columns are drawn as curves. */
export function seriesMarks(columns: readonly number[], width: number): TemplateResult {
  const mark = ({ column, className }: { column: number; className: string }): SVGTemplateResult =>
    svg`<line class=${className} y1="3.5" y2="3.5" x1="${(column / width) * 100}%" x2="${((column + 1) / width) * 100}%" />`;
  return html`<div class="marks" aria-hidden="true">
    <svg width="100%" height="7">${seriesOf(columns).map(mark)}</svg>
  </div>`;
}

export const seriesStyles = css`
  .series,
  .sample {
    fill: none;
    stroke: var(--_series);
    stroke-width: 2;
  }
  .colour-none {
    --_series: var(--_quiet);
  }
  .colour-0 {
    --_series: var(--_series-0);
  }
  .colour-1 {
    --_series: var(--_series-1);
  }
  .colour-2 {
    --_series: var(--_series-2);
  }
  .colour-3 {
    --_series: var(--_series-3);
  }
  .colour-4 {
    --_series: var(--_series-4);
  }
  svg.line-sample {
    flex: none;
    width: auto;
  }
  .marks .series {
    stroke-width: 4;
  }
  .marks svg {
    display: block;
  }
  path.dash-1 {
    stroke-dasharray: 5 3;
  }
  path.dash-2 {
    stroke-dasharray: 1.5 3.5;
    stroke-linecap: round;
  }
  path.dash-3 {
    stroke-dasharray: 9 3 2 3;
  }
  path.dash-4 {
    stroke-dasharray: 13 4;
  }
  path.dash-5 {
    stroke-dasharray: 4 3 1 3 1 3;
  }
`;
