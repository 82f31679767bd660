import { css } from 'lit';

/** The chain from scores to mixture: a table with bars. */
export const chainStyles = css`
  .chain {
    width: 100%;
    table-layout: fixed;
    font-size: 0.875rem;
  }
  .chain th,
  .chain td {
    position: static;
    padding: 0.3rem 0.35rem;
    background: none;
    vertical-align: middle;
  }
  .chain thead th {
    padding-top: 0;
    font-size: 0.75rem;
    line-height: 1.3;
    text-align: end;
    white-space: normal;
  }
  .chain :is(tbody, tfoot) th,
  .chain thead th:first-child {
    color: inherit;
    text-align: start;
  }
  .chain thead th:first-child {
    /* A long word may overflow into the next column, whose text is right-aligned. */
    white-space: nowrap;
  }
  .chain col.name {
    width: 3.25rem;
  }
  .chain col.share {
    width: 8rem;
  }
  .chain tfoot :is(th, td) {
    border-top: 1px solid var(--_line);
  }
  .sign {
    width: 1rem;
    height: 1rem;
    margin-inline-end: 0.2rem;
    overflow: visible;
    vertical-align: -0.2em;
  }
  .bar {
    display: block;
    width: 100%;
    height: 0.6rem;
    margin-bottom: 0.15rem;
    overflow: visible;
  }
  .bar .track {
    fill: var(--_line);
    opacity: 0.5;
  }
  .bar .fill {
    fill: currentColor;
  }
  .bar .zero {
    stroke: var(--_quiet);
  }
  .chain .number {
    color: var(--_ink);
  }
  @container (max-width: 28rem) {
    .chain th,
    .chain td {
      padding-inline: 0.2rem;
    }
    .chain col.name {
      width: 2.5rem;
    }
  }
`;
