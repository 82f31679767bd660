import { css, svg, html, type SVGTemplateResult, type TemplateResult } from 'lit';

/** A column and the classes for its colour and line style. */
export interface Series {
  readonly column: number;
  readonly className: string;
}

/** The colours of pairs and the line styles of columns, kept while others come and go. */
export class Looks {
  readonly #pairs = new Map<number, number>();
  readonly #columns = new Map<number, number>();

  /** Forgets removed columns, and gives new ones the colours and line styles that are used least. */
  of(columns: readonly number[]): (column: number) => string {
    assign(this.#pairs, columns.map(pairOf), 3);
    assign(this.#columns, columns, 6);
    return (column) => `colour-${this.#pairs.get(pairOf(column))} dash-${this.#columns.get(column)}`;
  }
}

const pairOf = (column: number): number => column >> 1;

function assign(given: Map<number, number>, wanted: readonly number[], count: number): void {
  for (const key of given.keys()) if (!wanted.includes(key)) given.delete(key);
  for (const key of wanted) {
    if (given.has(key)) continue;
    const uses = new Array<number>(count).fill(0);
    for (const look of given.values()) ++uses[look]!;
    given.set(key, uses.indexOf(Math.min(...uses)));
  }
}

/**
 * How the curves of P's columns look. The two columns of a pair (2j, 2j+1) have the same frequency and share a colour;
 * every column has its own line style, so that colours are not needed. `looks` are those so far.
 */
export function seriesOf(columns: readonly number[], looks = new Looks()): Series[] {
  const look = looks.of(columns);
  return columns.map((column) => ({ column, className: `series ${look(column)}` }));
}

/** A strip above a heat map that shows which columns are drawn as curves. */
export function seriesMarks(columns: readonly number[], width: number, looks: Looks): TemplateResult {
  const mark = ({ column, className }: Series): SVGTemplateResult =>
    svg`<line class=${className} y1="3.5" y2="3.5" x1="${(column / width) * 100}%" x2="${((column + 1) / width) * 100}%" />`;
  return html`<div class="marks" aria-hidden="true">
    <svg width="100%" height="7">${seriesOf(columns, looks).map(mark)}</svg>
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
