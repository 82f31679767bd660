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
    opacity: 0.55;
  }
  text.curve-label.faint {
    fill: var(--_quiet);
  }
  .heads {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 11rem));
    justify-content: space-between;
    gap: 0.5rem 1rem;
  }
  .map-title {
    min-height: 1.45em;
  }
  .controls.placed {
    grid-template-columns: minmax(0, 1fr) minmax(0, 7.5rem);
  }
  .placed .options {
    align-content: start;
  }
  @container (max-width: 32rem) {
    /* Six choices do not fit into two rows beside each other, so the first ones are beside their name: three rows. */
    .controls:not(.placed) .options {
      display: contents;
    }
    .heads {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .controls.placed {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  .controls:not(.placed) .choices,
  .buttons {
    grid-column: 1 / -1;
  }
  /* Six choices with line samples do not fit. */
  @container (min-width: 32rem) {
    .controls:not(.placed) .options {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
    }
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
