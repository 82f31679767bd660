import { css } from 'lit';

/** The stages side by side, each with its blocks and its shape. */
export const shapesStyles = css`
  .stages {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(max(7rem, (100% - 4rem) / 3), 1fr));
    gap: 1.25rem 2rem;
    margin: 0;
    padding: 0;
    overflow-x: clip;
    list-style: none;
  }
  .stages li {
    position: relative;
    text-align: center;
  }
  .stages li:not(:first-child)::before {
    content: '→' / '';
    position: absolute;
    top: 35%;
    left: -1.45rem;
    color: var(--_quiet);
  }
  .blocks {
    display: block;
    width: 100%;
  }
  .stages .what {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .stages .shape {
    font-weight: 600;
  }
  .blocks rect {
    stroke: var(--_paper);
    stroke-width: 1;
  }
  .blocks .ghost {
    fill: none;
    stroke: var(--_line);
    stroke-dasharray: 4 3;
  }
  .whole,
  .even {
    fill: var(--_series-0);
  }
  .odd {
    fill: var(--_series-0);
    opacity: 0.55;
  }
  .token {
    stroke: var(--_paper);
    opacity: 0.6;
  }
  .blocks .rest {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2;
    stroke-dasharray: 3 2;
  }
  /* The longest text lies unseen under the present one, so that nothing below moves. */
  .room {
    display: grid;
  }
  .room > *,
  .room::before {
    grid-area: 1 / 1;
    min-width: 0;
  }
  .room::before {
    content: attr(data-room) / '';
    visibility: hidden;
  }
  .error {
    margin-top: 0.75rem;
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--_accent);
    border-radius: 4px;
    overflow-wrap: anywhere;
  }
  .error.empty {
    visibility: hidden;
  }
  .error::before,
  .error code {
    font:
      0.875rem/1.45 ui-monospace,
      monospace;
  }
  .error code {
    color: var(--_accent);
  }
`;
