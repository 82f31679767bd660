import { css } from 'lit';

/** Rows of sliders, buttons, fields and choices. */
export const controlStyles = css`
  .controls {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr));
    gap: 0.25rem 1.75rem;
    margin: var(--_apart) 0 0;
    padding: 0;
    border: 0;
  }
  /* Wide figures have the same four columns. */
  @container (min-width: 52rem) {
    .controls:where(:not(.placed)) {
      grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
    }
  }
  /* On phones the sliders are separate: see figure-tools-styles.ts. */
  .sliders {
    display: contents;
  }
  /*
   * Above a picture that changes its height, so that a slider stays in place, or a picture that would be out of sight
   * further up.
   */
  .controls.above {
    margin: 0 0 var(--_apart);
  }
  .slider {
    min-width: 0;
    overflow-wrap: anywhere;
  }
  /* The value is on the last line of its label, or on the next one if both do not fit. */
  .slider output {
    float: right;
    margin-inline-start: 0.75rem;
    font-weight: 600;
  }
  .slider input {
    display: block;
    clear: both;
    width: 100%;
    height: 1.75rem;
    margin: 0;
    appearance: none;
    background: none;
    cursor: pointer;
  }
  /* A ring around the input would cut through its label. */
  .slider input:focus-visible {
    outline-offset: -2px;
  }
  .slider input::-webkit-slider-runnable-track {
    height: 3px;
    border-radius: 2px;
    background: var(--_track);
  }
  .slider input::-moz-range-track {
    height: 3px;
    border-radius: 2px;
    background: var(--_track);
  }
  .slider input::-webkit-slider-thumb {
    appearance: none;
    width: 1.125rem;
    height: 1.125rem;
    margin-top: calc((3px - 1.125rem) / 2);
    border: 2px solid var(--_paper);
    border-radius: 50%;
    background: var(--_accent);
  }
  .slider input::-moz-range-thumb {
    width: 1rem;
    height: 1rem;
    border: 2px solid var(--_paper);
    border-radius: 50%;
    background: var(--_accent);
  }
  @media (forced-colors: active) {
    .slider input {
      appearance: auto;
    }
  }
  .choices {
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .options {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1.25rem;
  }
  .choices legend {
    padding: 0;
  }
  .choice {
    display: inline-flex;
    gap: 0.4rem;
    padding-block: 0.2rem;
    cursor: pointer;
  }
  /* Beside the first line of its label. */
  .choice input {
    flex: none;
    width: 1rem;
    height: 1rem;
    margin: 0.16rem 0 0;
    accent-color: var(--_accent);
  }
  .choice svg {
    align-self: center;
  }
  .text-field {
    display: grid;
    grid-column: 1 / -1;
  }
  .text-field input {
    box-sizing: border-box;
    width: 100%;
    min-height: 2rem;
    padding: 0 0.6rem;
    border: 1px solid var(--_track);
    border-radius: 4px;
    background: var(--_paper);
    color: inherit;
    font: inherit;
  }
  .text-field input::placeholder {
    color: var(--_quiet);
    opacity: 1;
  }
  button {
    min-height: 1.75rem;
    padding: 0 0.7rem;
    border: 1px solid var(--_track);
    border-radius: 4px;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  button:hover:not(:disabled, [aria-disabled='true']) {
    border-color: var(--_accent);
  }
  button:is(:disabled, [aria-disabled='true']) {
    color: var(--_quiet);
    cursor: default;
  }
  /* A button in a row with sliders is beside their tracks. */
  .button {
    align-self: end;
  }
  .switches {
    display: flex;
    flex-wrap: wrap;
    grid-column: 1 / -1;
    align-items: center;
    gap: 0.25rem 1.25rem;
  }
`;
