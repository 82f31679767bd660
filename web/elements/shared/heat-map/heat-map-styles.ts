import { css } from 'lit';

/**
 * `--heat-map-aspect`: width over height of the cells' rectangle, default 1. `--heat-map-width`: the greatest width of
 * the map with its axes, default all. `--heat-map-row-ticks` and `--heat-map-column-ticks`: width and height for the
 * rows' and the columns' labels.
 */
export const heatMapStyles = css`
  .frame {
    position: relative;
    display: grid;
    max-width: var(--heat-map-width);
    margin-inline: auto;
    grid-template:
      'row-name row-ticks plot' auto
      '.        .         column-ticks' var(--heat-map-column-ticks, 1.375rem)
      '.        .         column-name' auto
      / 1.125rem var(--heat-map-row-ticks, 1.75rem) 1fr;
  }
  .frame.bare {
    grid-template:
      'row-ticks plot' auto
      '.         column-ticks' var(--heat-map-column-ticks, 1.25rem)
      / var(--heat-map-row-ticks, 1.1rem) 1fr;
  }
  /* On the smallest maps every second number of a column, so that they stay apart. */
  .frame.bare {
    container-type: inline-size;
  }
  @container (max-width: 5.5rem) {
    .column-ticks text:nth-child(even) {
      display: none;
    }
  }
  .row-name {
    grid-area: row-name;
    justify-self: center;
    align-self: center;
    color: var(--_quiet);
    font-size: 0.75rem;
    writing-mode: vertical-rl;
    /* Upright Hangul would be upside down after the rotation. */
    text-orientation: sideways;
    transform: rotate(180deg);
  }
  .column-name {
    grid-area: column-name;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  /* Out of the flow, each in its own grid area, because an SVG's default size would stretch the frame. */
  .row-ticks,
  .column-ticks {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    overflow: visible;
  }
  /* Chromium puts them at the top of the first page, and draws what follows a split map over it. */
  @media print {
    .frame {
      break-inside: avoid;
    }
    .row-ticks,
    .column-ticks {
      position: static;
      contain: size;
    }
  }
  .row-ticks {
    grid-area: row-ticks;
  }
  .column-ticks {
    grid-area: column-ticks;
  }
  .plot {
    grid-area: plot;
    position: relative;
    min-width: 0;
    aspect-ratio: var(--heat-map-aspect, 1);
    cursor: crosshair;
    /* A finger reads along the rows; a vertical move scrolls the page. */
    touch-action: pan-y pinch-zoom;
  }
  .cells,
  .overlay,
  ::slotted([slot='over']) {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
  }
  .overlay,
  ::slotted([slot='over']) {
    overflow: visible;
    pointer-events: none;
  }
  .overlay .pointer {
    fill: var(--_accent);
  }
  .told {
    fill: var(--_ink);
    stroke: var(--_paper);
    stroke-width: 4;
    stroke-linejoin: round;
    paint-order: stroke;
    font-size: 0.75rem;
    font-weight: 600;
  }
  .hatch {
    fill: var(--_quiet);
    opacity: 0.45;
  }
`;
