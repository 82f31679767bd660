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
  .together {
    white-space: nowrap;
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
  .follow:focus-visible {
    outline-offset: 0;
  }
  .head {
    cursor: pointer;
  }
  .following .head:not(.marked) {
    opacity: 0.2;
  }
  .following .marked {
    fill: var(--_accent);
    opacity: 1;
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
  /* Covers the stages after the first, which an error leaves out. */
  .pipeline {
    container-type: inline-size;
    position: relative;
  }
  .failure {
    position: absolute;
    inset: calc(75% + 0.3rem) 0 auto;
    box-sizing: border-box;
    width: fit-content;
    max-width: 100%;
    margin: 0 auto;
    padding: 0.6rem 0.9rem;
    border: 1px solid var(--_accent);
    border-radius: 4px;
    background: var(--_paper);
    overflow-wrap: anywhere;
    transform: translateY(-50%);
  }
  .failure.empty {
    visibility: hidden;
  }
  @container (max-width: 24.99rem) {
    .failure {
      top: 50%;
    }
  }
  .error code {
    color: var(--_accent);
    font:
      0.875rem/1.45 ui-monospace,
      monospace;
  }
`;
