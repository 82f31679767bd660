import { css } from 'lit';

/** A formula whose symbols are buttons, over the three matrices. */
export const formulaStyles = css`
  .formulas {
    display: grid;
    justify-content: center;
    gap: 0.35rem;
    margin-bottom: 1rem;
  }
  .formula {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    font-family: var(--figure-math, math);
    font-size: 1.125rem;
    /* A wrapped formula continues after the equals sign. */
    padding-inline-start: 3em;
  }
  .formula > :first-child {
    margin-inline-start: -3em;
  }
  .formula span {
    display: inline-flex;
    align-items: center;
    white-space: pre;
  }
  .formula button {
    min-width: 1.75rem;
    min-height: 1.875rem;
    padding: 0 0.2rem;
    border: 1px solid transparent;
    border-bottom: 2px dotted var(--_line);
    white-space: normal;
  }
  .formula sub {
    font-size: 0.72em;
    line-height: 0;
  }
  /* The chosen symbol, while something else is pointed at. */
  .formula button[aria-pressed='true'] {
    border-bottom: 2px solid var(--_quiet);
  }
  .formula button.lit {
    border: 1px solid var(--_accent);
    border-bottom: 2px solid var(--_accent);
    color: var(--_accent);
  }
  .matrices {
    display: grid;
    /* So that rows of all three are equally high. */
    grid-template-columns: 3fr 2.05fr 3fr;
    gap: 1rem 1.75rem;
  }
  .matrices p {
    padding-inline-start: 1.1rem;
    /* A title of two lines would put its map lower than the others. */
    margin: 0 -0.875rem 0.25rem;
    text-align: center;
    white-space: nowrap;
  }
  /* Nothing may overflow the figure, whose host may end there. */
  .matrices > :last-child > p {
    margin-inline-end: 0;
  }
  .matrices .wide {
    --heat-map-aspect: 1.5;
  }
  ramp-legend {
    display: block;
    padding-inline-start: 1.1rem;
  }
  @container (max-width: 37rem) {
    .matrices {
      grid-template-columns: minmax(0, 3fr) minmax(0, 2.1fr);
      gap: 0.5rem 1rem;
      align-items: end;
    }
    .matrices p {
      margin-inline: -1rem 0;
      font-size: 0.75rem;
      white-space: normal;
    }
    .formula {
      font-size: 1rem;
    }
    /* So that the shorter formula is on one line with any font. */
    .formula button {
      padding: 0 0.1rem;
    }
  }
`;
