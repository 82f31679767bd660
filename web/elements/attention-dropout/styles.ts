import { css } from 'lit';

/** Three maps of weights and the plot. */
export const dropoutStyles = css`
  .panels {
    display: grid;
    grid-template: auto auto 1fr / repeat(3, minmax(0, 1fr)) minmax(0, 1.4fr);
    /* Rows have the subgrids' gap: if these had another, Firefox would make the first row too high. */
    gap: 0 1.5rem;
  }
  /* Titles of one or two lines end at the same height, and so do the maps. */
  .panels > div {
    display: grid;
    grid-row: span 3;
    grid-template: subgrid / minmax(0, 1fr);
  }
  .panels > div > p {
    align-self: end;
    margin-bottom: 0.25rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .plot {
    grid-row: span 2;
    display: block;
    width: 100%;
    max-width: 22rem;
    margin: 0 auto;
    overflow: visible;
  }
  .grid {
    stroke: var(--_line);
  }
  .law {
    stroke: var(--_quiet);
    stroke-dasharray: 5 4;
  }
  .errors {
    fill: none;
    stroke: var(--_series-0);
    stroke-width: 1.75;
  }
  .last {
    fill: var(--_accent);
    stroke: var(--_paper);
    stroke-width: 1.5;
  }
  ramp-legend {
    box-sizing: border-box;
    padding-inline-start: 1.1rem;
  }
  @container (max-width: 45rem) {
    .panels {
      grid-template-columns: repeat(3, minmax(0, 1fr));
    }
    .panels > :last-child {
      grid-column: 1 / -1;
      margin-top: 1rem;
    }
  }
  @container (max-width: 28rem) {
    .panels {
      column-gap: 0.5rem;
    }
    .panels > :last-child {
      margin-top: 0.5rem;
    }
    /* Some titles need a second line only for large numbers. */
    .panels > div:not(:last-child) > p {
      min-height: 2lh;
      align-content: end;
    }
    .plot {
      max-width: 16rem;
    }
  }
`;
