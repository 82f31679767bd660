import { css } from 'lit';

export const trainingStyles = css`
  .chance {
    stroke: var(--_quiet);
    stroke-dasharray: 2 4;
  }
  text.curve-label {
    font-weight: 400;
  }
  text.curve-label.selected {
    font-weight: 700;
  }
  path.selected {
    stroke-width: 3;
  }
  path.faint {
    opacity: 0.35;
  }
  text.curve-label.faint {
    fill: var(--_quiet);
  }
  .inside {
    margin-top: 0.75rem;
  }
  .heads {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 11rem));
    justify-content: space-between;
    gap: 0.5rem 1rem;
  }
  .map-title {
    min-height: 1.45em;
    margin-bottom: 0;
  }
  .controls.placed {
    grid-template-columns: max-content minmax(0, 1fr) minmax(0, 7.5rem);
  }
  .placed .choices {
    align-content: start;
  }
  @container (max-width: 32rem) {
    .heads {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .controls.placed {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  /* On a phone in one row, so that the curves, the heads and the controls are on one screen; the first names the rows of all. */
  @media (max-width: 30rem) and (min-height: 40rem) {
    .heads {
      grid-template-columns: calc((100% - 1.875rem) / 4 + 1.125rem) repeat(3, minmax(0, 1fr));
      gap: 0.25rem;
    }
    .heads > :not(:first-child) .row-axis {
      display: none;
    }
    .heads > :not(:first-child) :is(.axes, .column-axis) {
      display: block;
    }
  }
  .controls:not(.placed) .choices,
  .buttons {
    grid-column: 1 / -1;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .primary {
    border-color: var(--_accent);
    font-weight: 600;
  }
`;
