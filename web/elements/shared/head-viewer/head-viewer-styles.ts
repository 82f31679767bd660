import { css } from 'lit';

/** All heads as thumbnails on one canvas, and the large one as a map or as lines. */
export const headViewerStyles = css`
  :host {
    container-type: inline-size;
    --heat-map-aspect: var(--_aspect);
    --heat-map-row-ticks: 4.5rem;
    --heat-map-column-ticks: 4.5rem;
  }
  .overview {
    display: grid;
    grid-template:
      'note note note' auto '. heads .' auto 'layers grid .' auto '. hint hint' auto
      / 1.5rem minmax(0, calc(var(--_heads) * 5rem)) minmax(0, 1fr);
    align-content: start;
  }
  ::slotted(*) {
    grid-area: note;
  }
  .numbers {
    display: grid;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .numbers.of-heads {
    grid-area: heads;
    grid-template-columns: repeat(var(--_heads), minmax(0, 1fr));
  }
  .numbers.of-layers {
    grid-area: layers;
    grid-template-rows: repeat(var(--_layers), minmax(0, 1fr));
    align-items: center;
  }
  .grid {
    grid-area: grid;
    position: relative;
    display: grid;
    grid-template: repeat(var(--_layers), minmax(0, 1fr)) / repeat(var(--_heads), minmax(0, 1fr));
    aspect-ratio: var(--_overview);
  }
  .grid canvas {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
  }
  .thumbnail {
    position: relative;
    /* Of many, each would cover its neighbours. */
    min-height: 0;
    margin: -1px 2px 2px -1px;
    padding: 0;
    border: 2px solid transparent;
    border-radius: 3px;
    background: none;
    cursor: pointer;
  }
  .thumbnail:hover:not([aria-checked='true']) {
    border-color: var(--_track);
  }
  .thumbnail[aria-checked='true'] {
    border-color: var(--_accent);
  }
  .overview .hint {
    grid-area: hint;
    margin-top: 0.375rem;
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  /* On one line with the name if both fit. */
  .large :is(.switches, .switches > div) {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1.25rem;
    align-items: center;
    justify-content: space-between;
  }
  .large .switches {
    margin-bottom: 0.5rem;
  }
  .with-entropies {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 4.5rem;
  }
  .as-lines {
    display: flex;
    flex-direction: column;
    height: max(20rem, var(--_high));
  }
  .as-lines > :not(.lines) {
    flex: none;
  }
  .lines {
    max-height: 32rem;
    overflow: auto;
  }
  .lines svg {
    display: block;
    width: 100%;
  }
  .line {
    stroke: var(--_series-0);
    stroke-width: 1.5;
  }
  .lines .asks,
  .lines .asked {
    fill: var(--_ink);
    font-weight: 600;
  }
`;
