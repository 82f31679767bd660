import { css } from 'lit';

/** The two texts side by side, or one above the other in narrow figures; below them what changes the second one. */
export const storyStyles = css`
  .teller {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--_apart);
  }
  .lines {
    display: grid;
    gap: 0.75rem 2.5rem;
  }
  .name {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .story {
    position: relative;
    padding-top: 0.5rem;
    /* Room for the arcs above each line. */
    min-height: 9.5em;
    font-size: 1.125rem;
    line-height: 1.9;
    overflow-wrap: anywhere;
    -webkit-user-select: none;
    user-select: none;
    cursor: pointer;
  }
  .story .given {
    color: var(--_quiet);
  }
  .story .changed {
    color: var(--_accent);
  }
  .story .chosen {
    border-radius: 3px;
    box-shadow: 0 0 0 2px var(--_series-0);
  }
  .story [data-at]:hover {
    text-decoration: underline;
  }
  .line.empty .story {
    color: var(--_quiet);
    cursor: auto;
  }
  .arcs {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    overflow: visible;
    pointer-events: none;
  }
  .arcs path {
    fill: none;
    stroke: var(--_series-0);
    stroke-linecap: round;
  }
  /* Room for a story, so that nothing below moves while it is written. */
  .gloss {
    min-height: 5.8em;
    color: var(--_quiet);
  }
  /* A switch that can be seen from across the room. */
  .switch .choice {
    align-items: center;
    gap: 0.75rem;
    font-size: 1.25rem;
    font-weight: 600;
  }
  .switch input {
    position: relative;
    width: 3.25rem;
    height: 1.75rem;
    margin: 0;
    border-radius: 1rem;
    background: var(--_track);
    appearance: none;
    cursor: pointer;
  }
  .switch input::before {
    content: '';
    position: absolute;
    top: 0.1875rem;
    left: 0.1875rem;
    width: 1.375rem;
    height: 1.375rem;
    border-radius: 50%;
    background: var(--_paper);
    transition: translate 0.15s;
  }
  .switch input:checked {
    background: var(--_series-0);
  }
  .switch input:checked::before {
    translate: 1.5rem 0;
  }
  .samples {
    display: flex;
    gap: 0.375rem;
    margin: -3px -3px 0.5rem;
    padding: 3px;
    overflow-x: auto;
  }
  .samples button {
    border-color: var(--_line);
    border-radius: 1rem;
    white-space: nowrap;
  }
  .samples [aria-pressed='true'] {
    border-color: var(--_series-0);
  }
  .lab {
    display: grid;
    gap: 1rem 2.5rem;
  }
  .grid {
    display: grid;
    grid-template-columns: 2rem repeat(8, minmax(0, 1fr));
    gap: 3px;
    align-self: start;
    max-width: 26rem;
  }
  .grid button {
    min-width: 0;
    min-height: 2rem;
    padding: 0;
    border-color: var(--_line);
  }
  .grid .layer {
    border-color: transparent;
    color: var(--_quiet);
  }
  .grid .layer::before {
    content: attr(data-layer);
  }
  .grid svg {
    display: block;
    width: 100%;
    height: 2rem;
    fill: var(--_series-0);
  }
  .grid .head[aria-current='true'] {
    outline: 2px solid var(--_accent);
    outline-offset: -1px;
  }
  .grid .silent svg {
    visibility: hidden;
  }
  .grid .silent {
    background: repeating-linear-gradient(45deg, var(--_paper) 0 4px, var(--_quiet) 4px 5px);
  }
  .lab .readout {
    min-height: 2.9em;
    margin-top: 0;
  }
  .game .remark {
    min-height: 4.35em;
  }
  /* One below the other, so that the button's name does not change the height of the text. */
  .foot {
    display: grid;
    gap: 0.5rem;
    justify-items: start;
    margin-top: var(--_apart);
  }
  .foot button {
    min-height: 2.25rem;
    border-color: var(--_accent);
    font-weight: 600;
  }
  .foot .remark {
    margin: 0;
    font-size: 0.75rem;
  }
  @container (min-width: 44rem) {
    .lines,
    .lab {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .switch {
      grid-area: 2 / 1 / auto / -1;
    }
    .samples {
      flex-wrap: wrap;
    }
    .story {
      min-height: 7.6em;
    }
    .gloss {
      min-height: 4.35em;
    }
    .beginnings {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
      gap: 0 2.5rem;
      align-items: start;
    }
    .beginnings .text-field {
      grid-column: auto;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .switch input::before {
      transition: none;
    }
  }
  @media (forced-colors: active) {
    .switch input {
      appearance: auto;
    }
    .switch input::before {
      content: none;
    }
  }
`;
