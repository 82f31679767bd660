import { css } from 'lit';

export const biasStyles = css`
  .pictures {
    display: grid;
    grid-template-columns: minmax(0, 17rem) minmax(0, 1fr);
    align-items: center;
    gap: 1rem 1.5rem;
  }
  @container (max-width: 37rem) {
    .pictures {
      grid-template-columns: minmax(0, 1fr);
    }
    .map {
      max-width: 15rem;
    }
  }
  .remark {
    margin-top: 0.5rem;
    color: var(--_quiet);
  }
`;
