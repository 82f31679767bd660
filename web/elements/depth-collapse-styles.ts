import { css } from 'lit';

export const depthStyles = css`
  svg {
    display: block;
    width: 100%;
  }
  .grid {
    stroke: var(--_line);
  }
  .cursor-line {
    stroke: var(--_accent);
    stroke-width: 1.5;
  }
  .dot {
    fill: var(--_series);
    stroke: var(--_paper);
    stroke-width: 1.5;
  }
  text.curve-label {
    fill: var(--_series);
    font-weight: 600;
  }
  .maps {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    align-items: end;
    gap: 1rem;
    margin-top: 0.75rem;
  }
  @media (max-width: 34rem) {
    .maps {
      grid-template-columns: repeat(2, minmax(0, 11rem));
    }
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 0.25rem 0.75rem;
    margin-top: 0.25rem;
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .axes {
    --heat-map-row-ticks: 1.4rem;
  }
  .map-title {
    margin-bottom: 0.25rem;
    padding-inline-start: 1.4rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
`;
