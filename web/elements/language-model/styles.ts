import { css } from 'lit';

/** The texts side by side (below each other on narrow pages), each with what may come next. */
export const storyStyles = css`
  .runs {
    display: grid;
    gap: 1rem 2rem;
    margin-top: var(--_apart);
  }
  @container (min-width: 44rem) {
    .runs.two {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
  }
  .run .name {
    font-weight: 600;
  }
  .story {
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
  /* What was changed shows its effect first, where the texts are below each other. */
  @container (max-width: 43.99rem) {
    .runs.two .run:last-child {
      order: -1;
    }
  }
  .next-name {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  /* One slider: its label needs a line. */
  .controls {
    grid-template-columns: minmax(0, 24rem);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    margin-top: var(--_near);
  }
  .ask {
    display: grid;
    gap: 0.75rem;
    justify-items: start;
    padding: 1.25rem 0;
  }
  .ask p {
    max-width: 40rem;
  }
  /* It is about the maps below. */
  .controls + .remark {
    margin-top: var(--_apart);
  }
  head-viewer {
    margin-top: var(--_near);
  }
`;
