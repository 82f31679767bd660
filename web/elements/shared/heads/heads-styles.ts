import { css } from 'lit';

/** All heads beside a large one, or above it on narrow pages; the name of the large one; what is silent. */
export const headsStyles = css`
  .board {
    display: grid;
    gap: 1rem 2rem;
  }
  @container (min-width: 44rem) {
    .board {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
  }
  .name {
    font-weight: 600;
  }
  .name small {
    color: var(--_quiet);
    font-size: 0.75rem;
    font-weight: 400;
  }
  button.silent {
    background: repeating-linear-gradient(45deg, var(--_paper) 0 3px, var(--_quiet) 3px 4px);
  }
  .silent-note:not(:empty) {
    margin-top: 0.5rem;
    color: var(--_accent);
  }
`;
