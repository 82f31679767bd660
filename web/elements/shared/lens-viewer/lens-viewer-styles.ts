import { css } from 'lit';
import { schemeRule } from '../light-dark.js';

/** A lens with its column of layers, or two lenses; one below the other on narrow pages. */
export const lensViewerStyles = css`
  :host {
    container-type: inline-size;
    --heat-map-aspect: var(--_aspect);
    --heat-map-column-ticks: var(--_ticks);
  }
  .board {
    display: grid;
    gap: 1rem 2rem;
  }
  @container (min-width: 44rem) {
    .board.both {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .board:not(.both) .side {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(12rem, 18rem);
      gap: 0 2rem;
    }
  }
  .name {
    margin-bottom: 0.25rem;
    font-weight: 600;
  }
  .map {
    position: relative;
  }
  .texts {
    position: absolute;
    inset: 0 0 var(--_ticks) var(--heat-map-row-ticks);
    width: calc(100% - var(--heat-map-row-ticks));
    height: calc(100% - var(--_ticks));
    pointer-events: none;
  }
  .texts text {
    fill: var(--_ink);
  }
  .texts .strong {
    fill: var(--_paper);
  }
  ${schemeRule('.texts .middle', (pick) => `fill: ${pick('#1b1f24', '#14181d')};`)}
  .candidates {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    min-height: 1.75rem;
    margin-top: 0.25rem;
  }
  /* Two lines where one may be too short, so that what follows stays in place. */
  .both .candidates {
    min-height: 3.75rem;
    align-content: start;
  }
  @container (max-width: 28rem) {
    .candidates {
      min-height: 3.75rem;
      align-content: start;
    }
  }
  .candidates [aria-pressed='true'] {
    border-color: var(--_accent);
    font-weight: 600;
  }
  .column .next {
    margin-top: var(--_near);
  }
  .column dt {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .column .next {
    grid-template-columns: fit-content(60%) minmax(2rem, 1fr) max-content;
  }
  .follow {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: end;
    margin-top: var(--_apart);
  }
  .follow button {
    min-height: 2rem;
  }
  .follow .text-field {
    flex: 0 1 16rem;
  }
`;
