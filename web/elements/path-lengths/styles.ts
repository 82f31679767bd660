import { css } from 'lit';
import { seriesStyles } from '../shared/plot/series.js';

export const pathStyles = css`
  ${seriesStyles}
  .diagrams {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 18.5rem), 1fr));
    gap: 1.25rem 1.5rem;
  }
  .diagram {
    display: grid;
    grid-row: span 4;
    grid-template-rows: subgrid;
    gap: 0;
    align-items: end;
    min-width: 0;
    max-width: 28rem;
    width: 100%;
    margin: 0 auto;
  }
  .diagram p {
    align-self: start;
    color: var(--_quiet);
  }
  .diagram .name {
    color: var(--_series);
    font-weight: 600;
  }
  .diagram .length {
    font-weight: 600;
  }
  /* All five in one row if they fit. */
  .controls {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
    /* In narrow columns some labels need two lines; the tracks stay aligned. */
    align-items: end;
  }
  svg {
    display: block;
    width: 100%;
    height: auto;
    margin: 0.25rem 0;
  }
  /* On a phone all three diagrams and their sliders fit on one screen. */
  @container (max-width: 28rem) {
    .diagrams {
      gap: 0.5rem;
    }
    .diagram {
      grid-template-columns: auto 1fr;
      grid-template-rows: none;
      grid-row: auto;
      gap: 0 1rem;
    }
    .diagram :is(svg, .longest) {
      grid-column: 1 / -1;
      margin: 0;
    }
    .diagram .length {
      text-align: end;
    }
    .controls:not(.placed) {
      grid-template-columns: repeat(6, minmax(0, 1fr));
    }
    .slider {
      grid-column: span 2;
    }
    .slider:nth-child(n + 4) {
      grid-column: span 3;
    }
  }
  .leg {
    fill: none;
    stroke: var(--_line);
    stroke-width: 1;
  }
  .lit {
    stroke: var(--_accent);
    stroke-width: 3;
    stroke-linecap: round;
  }
  .own {
    stroke-width: 1.5;
  }
  .short {
    stroke-dasharray: 2 6;
  }
  .unit {
    fill: var(--_paper);
    stroke: var(--_track);
    stroke-width: 1.5;
  }
  .unit.on {
    stroke: var(--_accent);
    stroke-width: 2.5;
  }
  .unit.met {
    fill: var(--_accent);
    stroke: var(--_accent);
  }
  .number.on {
    fill: var(--_accent);
    font-weight: 700;
  }
  .hit {
    fill: transparent;
    cursor: pointer;
  }
`;
