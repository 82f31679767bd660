import { css } from 'lit';
import { schemeRule } from './light-dark.js';

/** Colours of the light and of the dark scheme. */
const COLOURS = {
  ink: ['#1b1f24', '#e6e8eb'],
  quiet: ['#59616b', '#a2abb6'],
  line: ['#d5dae0', '#3a424d'],
  track: ['#8b949e', '#77818d'],
  paper: ['#ffffff', '#14181d'],
  accent: ['#c2410c', '#ff9d5c'],
  'series-0': ['#1763a6', '#7ab8f5'],
  'series-1': ['#8a2f86', '#e39be0'],
  'series-2': ['#2b6e2f', '#83cf87'],
  'series-3': ['#6b5b00', '#d3bf5a'],
  'series-4': ['#00737a', '#5fd0d0'],
} as const;

/**
 * What all figures share. The custom properties are the public ones, `--figure-…`; they follow the page's
 * `color-scheme` unless the page sets them.
 */
export const baseStyles = css`
  ${schemeRule(':host', (pick) =>
    Object.entries(COLOURS)
      .map(([name, [light, dark]]) => `--_${name}: var(--figure-${name}, ${pick(light, dark)});`)
      .join(' '),
  )}
  :host {
    --_font: var(--figure-font, system-ui, sans-serif);
    /* Between a picture, its legend and its texts; and between these and the controls. */
    --_near: 0.5rem;
    --_apart: 1rem;
    display: block;
    /* Formulas, axes and all five languages are left-to-right, whatever the page around them is. */
    direction: ltr;
    hanging-punctuation: none;
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
  /* Dragging in a picture must not select its numbers. */
  svg,
  canvas {
    -webkit-user-select: none;
    user-select: none;
  }
  /* Letters grow with the page's only as far as they fit. A scaled drawing gives its unit: see width.ts. */
  svg text {
    font: calc(var(--_unit, 1) * min(0.75rem, 14px)) / 1 var(--_font);
    fill: var(--_quiet);
  }
  /* Results, and explanations or advice. */
  .readout,
  .remark {
    max-width: 48rem;
    margin-top: var(--_near);
    /* No word alone on the last line. */
    text-wrap: pretty;
  }
  .readout {
    min-height: 1.45em;
  }
  .remark,
  .hint {
    color: var(--_quiet);
  }
  .remark:empty {
    margin: 0;
  }
  .readout strong {
    font-weight: 600;
    white-space: nowrap;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1.25rem;
    color: var(--_quiet);
  }
  .legend span {
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
  }
  .under {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    justify-content: space-between;
    gap: 0.25rem 1.5rem;
  }
  .legend,
  .under,
  ramp-legend {
    margin-top: var(--_near);
  }
  .legend > *,
  .under > * {
    margin-top: 0;
  }
  .under .readout {
    flex: 1 1 14rem;
  }
  /* As many lines as the longest text needs, so that nothing below it moves. */
  [data-longest] {
    display: grid;
  }
  [data-longest] > *,
  [data-longest]::after {
    grid-area: 1 / 1;
  }
  [data-longest]::after {
    content: attr(data-longest);
    visibility: hidden;
    white-space: pre-line;
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
  /* iOS magnifies the page around a field with smaller letters. */
  @media (pointer: coarse) {
    :is(input, textarea) {
      font-size: max(16px, 1em) !important;
    }
  }
  /* Paper cannot be pointed at. */
  @media print {
    .hint,
    [data-control] {
      display: none !important;
    }
  }
  /* A touch screen without a pointer has no keys. */
  @media (hover: none) and (pointer: coarse) {
    .keys {
      display: none;
    }
    .hinted::after {
      content: none;
    }
  }
  :is(a, button, input, summary, [tabindex]) {
    scroll-margin-bottom: var(--_covered, 0px);
  }
  /* What is chosen, where the system gives the colours. */
  @media (forced-colors: active) {
    :is([aria-pressed='true'], [aria-checked='true']) {
      forced-color-adjust: none;
      border-color: SelectedItem !important;
      background: SelectedItem !important;
    }
    :is([aria-pressed='true'], [aria-checked='true']),
    :is([aria-pressed='true'], [aria-checked='true']) * {
      color: SelectedItemText !important;
    }
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
`;
