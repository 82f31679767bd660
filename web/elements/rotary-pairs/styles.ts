import { css } from 'lit';

export const rotaryStyles = css`
  .pictures {
    display: grid;
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
    align-items: center;
    gap: 0.5rem 1.5rem;
  }
  .dials {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    gap: 0.25rem 0.5rem;
    text-align: center;
  }
  .dials p {
    color: var(--_quiet);
    font-size: 0.75rem;
    line-height: 1.35;
  }
  .dials .product {
    color: var(--_ink);
  }
  @container (max-width: 44rem) {
    .pictures {
      grid-template-columns: minmax(0, 1fr);
    }
    /* Its value needs a line. */
    .sliders > :last-child {
      grid-column: 1 / -1;
    }
  }
  /* In one row, so that a phone shows the dials, the curve and their sliders at once. */
  @container (max-width: 28rem) {
    .dials {
      column-gap: 0.25rem;
    }
  }
  @container (max-width: 20rem) {
    .dials {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
  .rim {
    fill: none;
    stroke: var(--_line);
  }
  .between {
    fill: var(--_quiet);
    opacity: 0.35;
  }
  .query {
    color: var(--_accent);
  }
  .key {
    color: var(--_series-0);
  }
  .arrow {
    stroke: currentColor;
    stroke-width: 2.5;
  }
  .arrow.key {
    stroke-width: 4;
    opacity: 0.75;
  }
  .tip {
    cursor: grab;
    outline: none;
  }
  .tip:active {
    cursor: grabbing;
  }
  .mark {
    fill: currentColor;
    stroke: var(--_paper);
  }
  .target {
    fill: transparent;
  }
  .tip:hover .target {
    stroke: var(--_quiet);
    stroke-dasharray: 2 3;
  }
  .tip:focus-visible .target {
    stroke: currentColor;
    stroke-dasharray: none;
    stroke-width: 2;
  }
  .dial text {
    fill: currentColor;
    pointer-events: none;
  }
  .curve {
    fill: none;
    stroke: var(--_series-0);
    stroke-width: 1.5;
  }
  .dot {
    fill: var(--_accent);
    stroke: var(--_paper);
    stroke-width: 1.5;
  }
`;
