import { css } from 'lit';

/** Rows of small maps, as many side by side as fit. */
export const headsStyles = css`
  .sequence + .sequence {
    margin-top: var(--_apart);
  }
  .sequence-title {
    font-weight: 600;
  }
  .maps {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(max(5.5rem, (100% - 4rem) / 5), 1fr));
    gap: 0.75rem 1rem;
    margin-top: 0.25rem;
  }
  @container (min-width: 45rem) {
    .maps {
      grid-template-columns: repeat(5, minmax(0, 8.5rem));
      justify-content: space-between;
    }
  }
  .map-title {
    padding-inline-start: 1.1rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    text-align: center;
  }
  .query-lengths {
    display: flex;
    align-items: start;
    gap: 0.4rem;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .query-lengths legend {
    padding: 0;
  }
  .options {
    min-height: 1.75rem;
  }
  .tables {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
  }
`;
