import { css } from 'lit';

export const depthStyles = css`
  .plot {
    cursor: pointer;
    touch-action: pan-y;
  }
  .maps {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 8.5rem));
    justify-content: space-between;
    align-items: end;
    gap: 1rem;
    /* The last column's number is wider than its cells. */
    padding-inline-end: 0.25rem;
  }
  @container (max-width: 32rem) {
    .maps {
      grid-template-columns: repeat(2, minmax(0, 11rem));
    }
  }
`;
