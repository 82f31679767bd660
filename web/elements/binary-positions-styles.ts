import { css } from 'lit';

export const binaryStyles = css`
  .plot {
    cursor: crosshair;
  }
  svg {
    display: block;
    width: 100%;
  }
  .ground {
    fill: none;
    stroke: var(--_line);
  }
  .grid {
    stroke: var(--_line);
    stroke-width: 1;
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
