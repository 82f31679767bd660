import { css } from 'lit';

/** Two halves that mirror each other, and the lines between them. On narrow pages a token stands above its numbers. */
export const permutationStyles = css`
  .board {
    display: grid;
    grid-template-columns:
      minmax(2.5rem, max-content) minmax(0, 3fr) minmax(0, 3fr) minmax(2rem, 3fr) minmax(0, 3fr)
      minmax(0, 3fr) minmax(2.5rem, max-content) max-content;
    grid-template-rows: auto;
    grid-auto-rows: 2.25rem;
    gap: 0 0.6rem;
    align-items: center;
    max-width: 56rem;
    margin-inline: auto;
  }
  .side {
    display: contents;
  }
  .head {
    color: var(--_quiet);
    text-align: center;
  }
  .head > div {
    padding-bottom: 0.25rem;
  }
  .head > div {
    color: var(--_ink);
  }
  .before {
    grid-column: 1;
    text-align: end;
  }
  .x {
    grid-column: 2;
  }
  .y {
    grid-column: 3;
  }
  .z {
    grid-column: 5;
  }
  .px {
    grid-column: 6;
  }
  .after {
    grid-column: 7;
    justify-self: start;
    cursor: grab;
    touch-action: none;
    -webkit-user-select: none;
    user-select: none;
  }
  .after:active {
    cursor: grabbing;
  }
  .move {
    display: flex;
    grid-column: 8;
    gap: 0.25rem;
  }
  .move button {
    width: 1.75rem;
    padding: 0;
  }
  @media (pointer: coarse) {
    .board {
      grid-auto-rows: auto;
    }
    .move {
      gap: 0;
    }
    .move button {
      width: 2.5rem;
      height: 2.5rem;
    }
  }
  .squares {
    display: block;
    width: 100%;
    max-height: 1.75rem;
  }
  .positive {
    fill: var(--_series-0);
    stroke: var(--_series-0);
    stroke-width: 0.06;
  }
  .negative {
    fill: none;
    stroke: var(--_series-0);
    stroke-width: 0.1;
  }
  .legend .negative {
    stroke-width: 1.5;
  }
  .links {
    grid-row: 2 / span 5;
    grid-column: 4;
    width: 100%;
    height: 100%;
  }
  .link {
    fill: none;
    stroke: var(--_series-0);
    stroke-width: 2;
  }
  .link.changed {
    stroke: var(--_accent);
    stroke-dasharray: 5 4;
  }
  .legend svg {
    width: 1.5rem;
    height: 0.8rem;
  }
  @container (max-width: 34rem) {
    .board {
      grid-template-columns: minmax(0, 4fr) minmax(1.75rem, 1fr) minmax(0, 4fr) max-content;
      grid-auto-rows: auto;
      gap: 0 0.25rem;
    }
    .side {
      display: grid;
      grid-column: 1;
      gap: 0.1rem;
      padding-block: 0.3rem;
    }
    .side.right {
      grid-column: 3;
    }
    .side > div {
      grid-column: 1;
      padding: 0;
      text-align: start;
    }
    .right > .px {
      order: -1;
    }
    .right > .after {
      order: -2;
    }
    .links {
      grid-column: 2;
    }
    .move {
      grid-column: 4;
    }
  }
`;
