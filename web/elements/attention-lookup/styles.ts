import { css } from 'lit';

/** Two planes with the chain from scores to mixture between them. */
export const lookupStyles = css`
  .scene {
    display: grid;
    grid-template-columns: minmax(0, 15rem) minmax(15rem, 1fr) minmax(0, 15rem);
    align-items: center;
    gap: 1rem 1.5rem;
  }
  .panel p {
    margin-bottom: 0.25rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .plane {
    display: block;
    width: 100%;
    max-width: 17rem;
    margin: 0 auto;
    cursor: crosshair;
  }
  .ground {
    fill: var(--_paper);
    stroke: var(--_line);
  }
  .grid {
    stroke: var(--_line);
    stroke-width: 0.5;
  }
  .axis {
    stroke: var(--_quiet);
    stroke-width: 1;
  }
  .handle {
    cursor: grab;
    touch-action: none;
    outline: none;
  }
  .handle:active {
    cursor: grabbing;
  }
  .target {
    fill: transparent;
  }
  .handle:hover .target,
  .handle.held .target {
    stroke: var(--_quiet);
    stroke-dasharray: 2 3;
  }
  .handle:focus-visible .target {
    stroke: var(--_accent);
    stroke-dasharray: none;
    stroke-width: 2;
  }
  .handle text,
  .mixture-label {
    fill: var(--_ink);
    font-size: min(0.8125rem, 15px);
    stroke: var(--_paper);
    stroke-width: 3;
    paint-order: stroke;
  }
  .mark {
    fill: currentColor;
    stroke: var(--_paper);
    stroke-width: 1.5;
  }
  .series-0 {
    color: var(--_series-0);
  }
  .series-1 {
    color: var(--_series-1);
  }
  .series-2 {
    color: var(--_series-2);
  }
  .query,
  .mixture {
    color: var(--_accent);
  }
  .mixture {
    /* It lies on the value where it is the only one, and lets the pointer have that. */
    pointer-events: none;
  }
  .masked .mark {
    fill: var(--_paper);
    stroke: var(--_quiet);
    stroke-dasharray: 2 2;
  }
  .arrow {
    stroke: currentColor;
    stroke-width: 1.5;
    opacity: 0.65;
  }
  .arrow.query {
    stroke-width: 2.5;
    opacity: 1;
  }
  .arrow.masked {
    stroke: var(--_line);
  }
  .hull {
    fill: var(--_line);
    opacity: 0.35;
  }
  .pull {
    stroke: currentColor;
    stroke-linecap: round;
    opacity: 0.7;
  }
  .chain {
    width: 100%;
    table-layout: fixed;
    font-size: 0.8125rem;
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
    /* A long word goes on over the start of the next column, whose words stand at its end. */
    white-space: nowrap;
  }
  .chain col.name {
    width: 3.25rem;
  }
  .chain col.share {
    width: 7.25rem;
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
  /* On the full screen the planes have the room that the page's column denies them. */
  @media (min-width: 58rem) {
    :host(:fullscreen) .scene {
      grid-template-columns: minmax(0, 1fr) minmax(15rem, 1.1fr) minmax(0, 1fr);
    }
    :host(:fullscreen) .plane {
      max-width: none;
    }
  }
  @media (max-width: 58rem) {
    .scene {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .chain {
      grid-column: 1 / -1;
      grid-row: 2;
    }
  }
  @media (max-width: 30rem) {
    .scene {
      grid-template-columns: minmax(0, 1fr);
    }
    .chain {
      grid-row: auto;
    }
    .chain th,
    .chain td {
      padding-inline: 0.2rem;
    }
    .chain col.name {
      width: 2.5rem;
    }
    .chain col.share {
      width: 6.5rem;
    }
  }
`;
