import { css } from 'lit';

/** The formula of the masks as maps, and the resulting weights. */
export const masksStyles = css`
  .board {
    display: grid;
    gap: 1rem 2.5rem;
    align-items: start;
  }
  .factors {
    display: grid;
    grid-template-columns: minmax(0, 1fr) repeat(3, 2.25rem minmax(0, 1fr));
    row-gap: 0.25rem;
  }
  .factor {
    display: grid;
    grid-row: span 2;
    grid-column: span 2;
    grid-template-rows: subgrid;
    grid-template-columns: subgrid;
    align-items: center;
  }
  /* The first map has no operator before it. */
  .factor:first-child {
    grid-column: 1;
  }
  .factor > :not(.sign) {
    grid-column: -2 / -1;
  }
  .factor p {
    /* A long word may overflow its map's end, not its start. */
    place-self: start safe center;
    font-size: 0.75rem;
    white-space: nowrap;
  }
  .factor.mask-itself p {
    font-weight: 600;
  }
  .factor.off > :not(.sign) {
    opacity: 0.65;
  }
  .sign {
    grid-row: 2;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .mask {
    display: block;
    width: 100%;
    max-width: 12rem;
    margin-inline: auto;
  }
  .mask .frame {
    fill: none;
    stroke: var(--_line);
    stroke-width: 0.06;
  }
  .visible {
    fill: var(--_series-0);
  }
  .mask .masked {
    fill: none;
    stroke: var(--_quiet);
    stroke-width: 0.08;
    opacity: 0.7;
  }
  .held {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 0.16;
  }
  .weights {
    width: 100%;
    max-width: 22rem;
    margin-inline: auto;
  }
  .weights > p {
    padding-inline-start: 1.1rem;
    margin-bottom: 0.25rem;
    font-size: 0.75rem;
    text-align: center;
  }
  .legend svg {
    width: 1rem;
    height: 1rem;
  }
  @container (max-width: 30rem) {
    .board {
      gap: 0.5rem;
    }
    .weights {
      max-width: 15rem;
    }
    .board + .controls > .sliders {
      grid-template-columns: repeat(3, minmax(0, 1fr));
    }
  }
  @container (min-width: 44rem) {
    .board {
      grid-template: auto 1fr / minmax(0, 7fr) minmax(0, 5fr);
      row-gap: 0;
    }
    .weights {
      grid-row: span 2;
    }
  }
  @container (min-width: 56rem) {
    .board {
      grid-template-columns: minmax(0, 2fr) minmax(0, 1fr);
    }
  }
`;
