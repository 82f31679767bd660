import { css } from 'lit';

/**
 * What all figures share. The custom properties are the public ones, `--figure-…`; they follow the page's `color-scheme`
 * unless the page sets them.
 */
export const baseStyles = css`
  :host {
    --_ink: var(--figure-ink, light-dark(#1b1f24, #e6e8eb));
    --_quiet: var(--figure-quiet, light-dark(#59616b, #a2abb6));
    --_line: var(--figure-line, light-dark(#d5dae0, #3a424d));
    --_track: var(--figure-track, light-dark(#8b949e, #77818d));
    --_paper: var(--figure-paper, light-dark(#ffffff, #14181d));
    --_accent: var(--figure-accent, light-dark(#c2410c, #ff9d5c));
    --_font: var(--figure-font, system-ui, sans-serif);
    --_series-0: var(--figure-series-0, light-dark(#1763a6, #7ab8f5));
    --_series-1: var(--figure-series-1, light-dark(#8a2f86, #e39be0));
    --_series-2: var(--figure-series-2, light-dark(#2b6e2f, #83cf87));
    display: block;
    color: var(--_ink);
    font: 0.875rem/1.45 var(--_font);
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  p {
    margin: 0;
  }
  /* Drawings are laid out in pixels: letters may grow with the page's, but only as far as there is room for them. */
  svg text {
    font: min(0.75rem, 14px) / 1 var(--_font);
    fill: var(--_quiet);
  }
  .readout {
    min-height: 1.45em;
    margin-top: 0.5rem;
    color: var(--_quiet);
  }
  .readout strong {
    color: var(--_accent);
    font-weight: 600;
  }
  .failure {
    padding: 1rem;
    border: 1px solid var(--_line);
    border-radius: 4px;
  }
  .spoken {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
`;

/** Rows of sliders, buttons and choices; and the fold-out tables. */
export const controlStyles = css`
  .controls {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr));
    gap: 0.25rem 1.75rem;
    margin: 1rem 0 0;
    padding: 0;
    border: 0;
  }
  .slider {
    display: grid;
    grid-template-columns: 1fr auto;
    align-items: baseline;
    gap: 0 1rem;
  }
  .slider label {
    color: var(--_quiet);
  }
  .slider output {
    font-weight: 600;
  }
  .slider input {
    grid-column: 1 / -1;
    width: 100%;
    height: 1.75rem;
    margin: 0;
    appearance: none;
    background: none;
    cursor: pointer;
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
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1.25rem;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .choices legend {
    padding: 0;
    color: var(--_quiet);
  }
  .choice {
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
    min-height: 1.75rem;
    cursor: pointer;
  }
  .choice input {
    width: 1rem;
    height: 1rem;
    margin: 0;
    accent-color: var(--_accent);
  }
  .text-field {
    display: grid;
    grid-column: 1 / -1;
  }
  .text-field label {
    color: var(--_quiet);
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
  .number-field {
    box-sizing: border-box;
    width: 3rem;
    min-height: 1.75rem;
    padding: 0 0.1rem 0 0.4rem;
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
    border: 1px solid var(--_line);
    border-radius: 4px;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    border-color: var(--_accent);
  }
  button:disabled {
    color: var(--_quiet);
    cursor: default;
  }
  details {
    margin-top: 0.25rem;
  }
  summary {
    display: inline-block;
    min-height: 1.75rem;
    color: var(--_quiet);
    line-height: 1.75rem;
    text-decoration: underline dotted;
    text-underline-offset: 0.25em;
    cursor: pointer;
  }
  summary:hover {
    color: var(--_accent);
  }
  .scroller {
    max-height: 22rem;
    overflow: auto;
    border: 1px solid var(--_line);
    border-radius: 4px;
  }
  table {
    border-collapse: collapse;
    font-size: 0.75rem;
  }
  caption {
    padding: 0.5rem 0.6rem 0.25rem;
    color: var(--_quiet);
    text-align: start;
    white-space: nowrap;
  }
  th,
  td {
    padding: 0.2rem 0.6rem;
    text-align: end;
    white-space: nowrap;
  }
  th {
    background: var(--_paper);
    color: var(--_quiet);
    font-weight: 500;
  }
  thead th {
    position: sticky;
    top: 0;
  }
  tbody th {
    position: sticky;
    left: 0;
  }
`;
