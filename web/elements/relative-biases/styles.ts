import { css } from 'lit';

export const biasStyles = css`
  .pictures {
    align-items: start;
  }
  @container (min-width: 37.01rem) {
    .pictures {
      grid-template-columns: minmax(0, 17rem) minmax(0, 1fr);
    }
  }
`;
