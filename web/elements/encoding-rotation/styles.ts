import { css } from 'lit';

/** Clocks, their hands and their legend; lengths inside a dial are in radii. */
export const rotationStyles = css`
  .clocks {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(6.5rem, 28%), 1fr));
    gap: 0.75rem 1rem;
  }
  .clock {
    text-align: center;
  }
  .clock svg {
    display: block;
    width: 100%;
    max-width: 9rem;
    margin: 0 auto;
    /* The circle around a hidden position is partly outside. */
    overflow: visible;
  }
  .clock p {
    color: var(--_quiet);
    font-size: 0.75rem;
    line-height: 1.35;
  }
  .clock p.pair {
    color: var(--_ink);
  }
  .dial {
    fill: none;
    stroke: var(--_line);
    stroke-width: 0.02;
  }
  .from {
    stroke: var(--_quiet);
    stroke-width: 0.035;
    stroke-dasharray: 0.08 0.06;
  }
  .to {
    stroke: var(--_series-0);
    stroke-width: 0.055;
    stroke-linecap: round;
  }
  .tip {
    fill: var(--_series-0);
  }
  .target {
    fill: none;
    stroke: var(--_ink);
    stroke-width: 0.04;
  }
  .start {
    fill: var(--_paper);
    stroke: var(--_quiet);
    stroke-width: 0.035;
  }
  .sought {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 0.06;
    stroke-dasharray: 0.1 0.06;
  }
  .hand {
    fill: transparent;
    cursor: grab;
    outline: none;
  }
  .hand:focus-visible :first-child {
    stroke: var(--_accent);
    stroke-width: 0.05;
  }
  .hand:active {
    cursor: grabbing;
  }
  .turn {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 0.06;
  }
  .legend svg {
    width: 1.5rem;
    height: 1rem;
  }
  .legend line,
  .legend circle {
    stroke-width: 0.1;
  }
  .legend .from {
    stroke-dasharray: 0.2 0.14;
  }
`;
