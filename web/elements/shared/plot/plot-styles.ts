import { css } from 'lit';

/** What the drawings of curves and bars share: as wide as their place, with quiet grid lines, each curve named in its own colour. */
export const plotStyles = css`
  svg {
    display: block;
    width: 100%;
  }
  .grid {
    stroke: var(--_line);
  }
  text.curve-label {
    fill: var(--_series);
    font-weight: 600;
  }
`;

/** The line that reads all curves at one place, and its dots on them. */
export const plotCursorStyles = css`
  .cursor-line {
    stroke: var(--_accent);
    stroke-width: 1.5;
  }
  .dot {
    fill: var(--_series);
    stroke: var(--_paper);
    stroke-width: 1.5;
  }
`;
