import { css } from 'lit';

export const extrapolationStyles = css`
  .lesson {
    fill: var(--_line);
    opacity: 0.45;
  }
  .dot {
    fill: var(--_series);
  }
  /* Around a curve's only dot, which others may cover. */
  .ring {
    fill: none;
    stroke: var(--_series);
    stroke-width: 1.5;
  }
  .faint {
    opacity: 0.55;
  }
  text.curve-label.faint {
    fill: var(--_quiet);
    opacity: 1;
  }
  progress {
    width: 10rem;
    accent-color: var(--_accent);
  }
`;
