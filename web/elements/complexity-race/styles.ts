import { css } from 'lit';

export const raceStyles = css`
  .plot svg {
    overflow: visible;
  }
  .plot {
    cursor: pointer;
  }
  @container (min-width: 52rem) {
    .controls {
      grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
    }
  }
  .axis {
    stroke: var(--_track);
  }
  .chosen {
    stroke: var(--_accent);
    stroke-width: 1.5;
  }
  path.series {
    stroke-width: 1.75;
  }
  .between {
    fill: none;
    stroke: var(--_series);
    stroke-width: 1;
    opacity: 0.45;
  }
  .dot {
    fill: var(--_series);
    stroke: var(--_paper);
    stroke-width: 1;
  }
  .dot.hollow {
    fill: var(--_paper);
    stroke: var(--_series);
    stroke-width: 1.5;
    stroke-dasharray: none;
  }
  .drop {
    stroke: var(--_quiet);
    stroke-dasharray: 2 3;
  }
  .crossing {
    fill: none;
    stroke: var(--_ink);
    stroke-width: 1.75;
  }
  .legend {
    margin-top: var(--_near);
  }
  .legend svg {
    flex: none;
    width: auto;
  }
  .counts {
    display: grid;
    gap: var(--_near);
    margin-top: var(--_apart);
    overflow-x: auto;
  }
  .counts table {
    width: 100%;
    font-size: 0.875rem;
  }
  .counts th,
  .counts td {
    padding: 0.125rem 0.5rem 0.125rem 0;
    border-top: 1px solid var(--_line);
    background: none;
  }
  .counts thead :is(th, td) {
    border-top: 0;
    font-size: 0.75rem;
    white-space: normal;
    vertical-align: bottom;
  }
  /* Wide enough for every time, so that columns keep their width when times arrive. */
  .counts .measured {
    min-width: 5rem;
  }
  .counts caption {
    padding: 0;
    font-size: 0.75rem;
  }
  .counts th:first-child {
    position: static;
    padding-left: 0;
    text-align: start;
  }
  .counts tbody th {
    color: var(--_ink);
  }
  .counts td:last-child,
  .counts th:last-child {
    padding-right: 0;
  }
  /* Low enough for a phone to show both tables below the plot. */
  @container (max-width: 39rem) {
    .counts :is(th, td) {
      padding-block: 0;
    }
    .counts thead th {
      line-height: 1.2;
    }
    .counts table + table tbody th {
      width: 44%;
      white-space: normal;
    }
  }
  .run {
    display: flex;
    align-self: end;
    align-items: center;
    gap: 0.75rem;
  }
  progress {
    flex: 1;
    min-width: 4rem;
    accent-color: var(--_accent);
  }
`;
