import { css } from 'lit';

/** Two maps of weights and the plot. */
export const dropoutStyles = css`
  .panels {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr));
    gap: 1rem 1.5rem;
    align-items: start;
  }
  .panels > div > p {
    margin-bottom: 0.25rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .plot {
    display: block;
    width: 100%;
    overflow: visible;
  }
  .grid {
    stroke: var(--_line);
  }
  .law {
    stroke: var(--_quiet);
    stroke-dasharray: 5 4;
  }
  .plot .law-label {
    font-size: 0.75rem;
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
  @media (max-width: 36rem) {
    .panels :is(heat-map, ramp-legend) {
      display: block;
      max-width: 16rem;
      margin: 0 auto;
    }
  }
`;
