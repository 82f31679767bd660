import { css } from 'lit';

/** The picture and the small maps. */
export const patchViewerStyles = css`
  .large .switches {
    justify-content: space-between;
    min-height: 1.75rem;
  }
  .large .choices,
  .plot {
    margin-top: var(--_near);
  }
  .swatch {
    margin-inline: 0.2rem -0.1rem;
  }
  .choice small {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .plot {
    position: relative;
    aspect-ratio: var(--_aspect);
    cursor: crosshair;
    /* A finger reads along the rows; a vertical move scrolls the page. */
    touch-action: pan-y pinch-zoom;
  }
  .plot > * {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
  }
  .heat {
    opacity: var(--_strength);
  }
  /* A picture is not dimmed on dark pages, as plain maps are, nor is what lies over it. */
  canvas {
    filter: none;
  }
  .overlay {
    overflow: visible;
    pointer-events: none;
  }
  .maps {
    display: grid;
    grid-template-columns: repeat(var(--_across), minmax(0, 10rem));
    gap: 0.25rem;
    margin-top: var(--_near);
  }
  .map {
    display: grid;
    min-height: 0;
    padding: 2px;
    border: 2px solid transparent;
    border-radius: 3px;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .map canvas {
    width: 100%;
    aspect-ratio: var(--_aspect);
  }
  .map:hover:not([aria-checked='true']) {
    border-color: var(--_track);
  }
  .map[aria-checked='true'] {
    border-color: var(--_accent);
    color: var(--_ink);
  }
  @media (forced-colors: active) {
    .map {
      border-color: Canvas;
    }
    .map[aria-checked='true'] {
      border-color: Highlight;
    }
  }
  .map.silent canvas {
    opacity: 0.4;
  }
  .map.silent span {
    background: var(--_paper);
  }
  /* The slider that sticks to a phone's window must not cover what has the focus. */
  .stage:has(:focus-visible):not(:has(.sliders :focus-visible)) .sliders {
    position: static;
  }
`;
