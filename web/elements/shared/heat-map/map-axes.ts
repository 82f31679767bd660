import { css, html, type TemplateResult } from 'lit';

/** A bare heat map with the names of its axes, on the left and below. */
export function withAxes(row: string, column: string, map: TemplateResult): TemplateResult {
  return html`<div class="axes">
    <span class="axis row-axis" aria-hidden="true">${row}</span>${map}<span class="axis column-axis" aria-hidden="true"
      >${column}</span
    >
  </div>`;
}

/** Styles of such maps, their titles and their shared legend. */
export const mapAxesStyles = css`
  .axes {
    display: grid;
    grid-template-columns: 1.125rem minmax(0, 1fr);
    --heat-map-row-ticks: 1.4rem;
  }
  .axis {
    color: var(--_quiet);
    font-size: 0.75rem;
    line-height: 1;
    text-align: center;
  }
  .row-axis {
    justify-self: start;
    align-self: center;
    writing-mode: vertical-rl;
    /* Upright Hangul would be upside down after the rotation. */
    text-orientation: sideways;
    transform: rotate(180deg);
  }
  .column-axis {
    grid-column: 2;
    padding-inline-start: var(--heat-map-row-ticks);
  }
  .map-title {
    /* Centred over the map, without its axis and its numbers. */
    padding-inline-start: calc(1.125rem + 1.4rem);
    margin-bottom: 0.25rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .legend {
    justify-content: flex-end;
    gap: 0.25rem 0.75rem;
    font-size: 0.75rem;
  }
  /* Four maps below a plot, or beside it if both fit. */
  .with-four {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--_apart) 2rem;
  }
  @container (min-width: 52rem) {
    .with-four {
      grid-template-columns: minmax(0, 1fr) 20rem;
    }
    .with-four .four {
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: 0.5rem 1rem;
      /* The last column's number is wider than its cells. */
      padding-inline-end: 0.5rem;
    }
  }
  /*
   * Four maps, on a phone in one row, so that what is above them and the controls are in sight; the first names the
   * rows of all.
   */
  @media (max-width: 30rem) and (min-height: 40rem) {
    div.four {
      grid-template-columns: calc((100% - 1.875rem) / 4 + 1.125rem) repeat(3, minmax(0, 1fr));
      gap: 0.25rem;
      /* A word may overflow a little between the maps. */
      overflow-wrap: normal;
    }
    .four > :not(:first-child) .row-axis {
      display: none;
    }
    .four > :not(:first-child) .map-title {
      padding-inline-start: 1.4rem;
    }
    .four > :not(:first-child) :is(.axes, .column-axis) {
      display: block;
    }
  }
`;
