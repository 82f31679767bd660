import { css } from 'lit';

/** Quiet grid lines, and a name in its own colour for each curve. */
export const curveStyles = css`
  .grid {
    stroke: var(--_line);
  }
  text.curve-label {
    fill: var(--_series);
    font-weight: 600;
  }
`;

/** Shared styles of curves and bars, whose drawings are as wide as their place. */
export const plotStyles = css`
  svg {
    display: block;
    width: 100%;
  }
  ${curveStyles}
  /* An initial curve. */
  svg path.before {
    stroke-width: 1.5;
    stroke-opacity: 0.5;
  }
`;

/** The cursor line across all curves, and its dots on them. */
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
