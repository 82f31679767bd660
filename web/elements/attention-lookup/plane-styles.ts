import { css } from 'lit';

/** Two planes, and the chain from scores to mixture between them. */
export const planeStyles = css`
  .scene {
    display: grid;
    grid-template-columns: minmax(0, 15rem) minmax(15rem, 1fr) minmax(0, 15rem);
    align-items: center;
    gap: 1rem 1.5rem;
  }
  /* Not "panel", which is what the tools open and paper leaves out. */
  .side {
    margin-top: 0.25rem;
    font-size: 0.75rem;
  }
  .side p {
    margin-bottom: 0.25rem;
    color: var(--_quiet);
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
  .tick {
    pointer-events: none;
  }
  .handle {
    cursor: grab;
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
  .cue {
    fill: currentColor;
  }
  .handle:is(:hover, :focus-visible) .cue {
    animation: none;
  }
  @media (prefers-reduced-motion: no-preference) {
    .cue {
      animation: cue 0.7s ease-in-out 10 alternate;
    }
  }
  @keyframes cue {
    to {
      opacity: 0.3;
      transform: scale(1.2);
    }
  }
  .handle:focus-visible .target {
    stroke: var(--_accent);
    stroke-dasharray: none;
    stroke-width: 2;
  }
  .name {
    fill: var(--_ink);
  }
  .name,
  .tick {
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
  /* Hollow, because they may cover another point, which must stay visible. */
  :is(.query, .mixture) .mark {
    fill: none;
    stroke: currentColor;
    stroke-width: 3;
  }
  .mixture {
    /* If there is only one value, the mixture covers it; the pointer must reach the value. */
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
  .ring {
    fill: none;
    stroke: var(--_ink);
    stroke-width: 2;
    stroke-dasharray: 4 3;
  }
  .pull {
    stroke: currentColor;
    stroke-linecap: round;
    opacity: 0.7;
  }
  /* In full screen the planes take all the space that the chain leaves. */
  @container (min-width: 55.5rem) {
    :host(:fullscreen) .scene {
      grid-template-columns: minmax(0, 1fr) 24rem minmax(0, 1fr);
    }
    :host(:fullscreen) .plane {
      max-width: none;
    }
  }
  @container (max-width: 55.49rem) {
    .scene {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .chain {
      grid-column: 1 / -1;
      grid-row: 2;
    }
  }
  /* Small planes with large points, so that the query and the mixture are in sight at once. */
  @container (max-width: 28rem) {
    .scene {
      gap: 0.5rem;
    }
    .target {
      r: 22px;
    }
    .mark {
      transform: scale(1.3);
    }
    .sign .mark {
      transform: none;
    }
  }
`;
