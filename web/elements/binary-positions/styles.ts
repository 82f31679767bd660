import { css } from 'lit';

export const binaryStyles = css`
  .readable {
    cursor: crosshair;
  }
  .ground {
    fill: none;
    stroke: var(--_line);
  }
  .bit {
    fill: var(--_series-0);
  }
  .sign {
    fill: var(--_series-1);
  }
  text.name {
    fill: var(--_ink);
    font-weight: 600;
  }
  .cursor {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2;
  }
`;
