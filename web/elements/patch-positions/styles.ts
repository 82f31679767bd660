import { css } from 'lit';

/** The picture, the maps of the heads, and the answer: beside each other, or on narrow pages below. */
export const patchStyles = css`
  .board {
    display: grid;
    gap: 1rem 2rem;
    align-items: start;
  }
  .picture {
    width: 100%;
    max-width: 16rem;
    margin-inline: auto;
    cursor: crosshair;
    /* A finger reads along the rows; a vertical move scrolls the page. */
    touch-action: pan-y pinch-zoom;
  }
  .picture svg {
    display: block;
    overflow: visible;
  }
  .paper {
    fill: none;
    stroke: var(--_track);
    stroke-width: 0.2;
  }
  .edges {
    fill: none;
    stroke: var(--_line);
    stroke-width: 0.2;
  }
  .around,
  .quarter {
    fill: none;
    stroke: var(--_ink);
  }
  .around {
    stroke: var(--_paper);
    opacity: 0.6;
  }
  .maps {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    gap: 0.5rem;
  }
  .map-title {
    padding-inline-start: 1.1rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  ramp-legend {
    margin-inline-start: auto;
  }
  .next dt {
    min-width: 1.5em;
  }
  .name {
    margin-bottom: 0.25rem;
    font-weight: 600;
  }
  @container (min-width: 40rem) {
    .board {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .picture {
      max-width: 20rem;
    }
    .maps {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
  @container (min-width: 56rem) {
    .board {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) minmax(0, 1fr);
    }
  }
`;
