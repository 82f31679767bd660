import { css } from 'lit';

/** The texts side by side (below each other on narrow pages), each with candidates for the next token. */
export const storyStyles = css`
  .beginning,
  .runs {
    display: grid;
    gap: var(--_near) 2rem;
    align-items: end;
  }
  .runs {
    margin-top: var(--_apart);
  }
  /* Low, so that a silenced head and the text that it changes are on one screen. */
  @container (min-width: 44rem) {
    .beginning {
      grid-template-columns: minmax(0, 1fr) max-content;
    }
    .runs.two,
    .controls {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
      column-gap: 2rem;
    }
    .beginning .text-field,
    .controls .switches {
      grid-column: auto;
    }
    /* The texts begin at the same height, and so do their next tokens. */
    .two .run {
      display: grid;
      grid-row: span 4;
      grid-template-rows: subgrid;
      row-gap: 0;
    }
  }
  @container (max-width: 43.99rem) {
    .controls .slider {
      grid-column: 1 / -1;
    }
    /* So that a phone shows both texts. */
    .two :is(.next-name, .next) {
      display: none;
    }
  }
  .run .name {
    font-weight: 600;
  }
  .run .story {
    min-height: 8.7em;
    margin: 0.25rem 0 0.5rem;
    font-size: 1rem;
    overflow-wrap: anywhere;
  }
  .story .given {
    color: var(--_quiet);
  }
  .story mark {
    background: none;
    color: var(--_accent);
  }
  .next-name {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  head-viewer {
    margin-top: var(--_apart);
  }
  head-viewer .remark {
    margin-bottom: var(--_near);
  }
`;
