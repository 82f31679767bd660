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
  .crossing.measured {
    fill: var(--_ink);
    fill-opacity: 0.25;
  }
  .legend svg {
    flex: none;
    width: auto;
  }
  /* A shadow at the edge shows that there is more to scroll to. */
  .counts {
    --_shade: color-mix(in srgb, var(--_track) 50%, transparent);
    margin-top: var(--_apart);
    overflow-x: auto;
    background:
      linear-gradient(to right, var(--_paper) 40%, transparent) left -2px top / calc(2.5rem + 2px) 100% local,
      linear-gradient(to left, var(--_paper) 40%, transparent) right -2px top / calc(2.5rem + 2px) 100% local,
      linear-gradient(to right, var(--_shade), transparent) left / 0.6rem 100% scroll,
      linear-gradient(to left, var(--_shade), transparent) right / 0.6rem 100% scroll;
    background-repeat: no-repeat;
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
  .counts thead th {
    border-top: 0;
    white-space: normal;
    vertical-align: bottom;
  }
  /* As wide as any time, so that times do not narrow the heads. */
  .counts td:nth-child(3) {
    min-width: 5rem;
  }
  .counts .size span {
    white-space: nowrap;
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
  /* Without the width for six columns, a row is two lines of three cells. */
  @container (max-width: 36rem) {
    .counts tr {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(0, 1.56fr) minmax(0, 1.38fr);
      align-items: end;
      padding: 0.2rem 0;
      border-top: 1px solid var(--_line);
    }
    .counts thead tr {
      row-gap: 0.15rem;
      border-top: 0;
    }
    .counts thead th {
      font-size: 0.75rem;
    }
    /* The sizes have a line of their own, and the heads stand above the numbers of a row's two lines. */
    .counts .size {
      grid-column: 1 / -1;
    }
    .counts .size + th {
      grid-column: 2;
    }
    .counts tr > * {
      padding-block: 0;
      border-top: 0;
    }
    .counts tr > :nth-child(3) {
      padding-right: 0;
    }
    .counts tr > :nth-child(4) {
      text-align: start;
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
