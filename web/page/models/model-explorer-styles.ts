import { css } from 'lit';

export const explorerStyles = css`
  .drop {
    padding: 1.25rem;
    border: 2px dashed var(--_track);
    border-radius: 6px;
  }
  .drop.over {
    border-color: var(--_accent);
  }
  .here {
    margin-top: 0.75rem;
    color: var(--_quiet);
  }
  @media (pointer: coarse) {
    .here {
      display: none;
    }
  }
  /* What newer results are about to replace. */
  .stale {
    opacity: 0.4;
  }
  .picture {
    margin: 1rem 0;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: baseline;
    margin-top: 0.75rem;
  }
  .buttons [aria-pressed='true'] {
    border-color: var(--_accent);
    font-weight: 600;
  }
  details {
    margin-top: 1rem;
  }
  summary {
    font-weight: 600;
    cursor: pointer;
  }
  details :is(p, li) {
    max-width: 48rem;
    margin-top: var(--_near);
  }
  details ul {
    margin: 0;
    padding-inline-start: 1.25rem;
  }
  pre {
    margin: 0.25rem 0 0;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    user-select: all;
  }
  a {
    color: inherit;
    text-decoration-color: var(--_accent);
  }
  .status,
  .remark {
    min-height: 1.45em;
    margin-top: 0.75rem;
    color: var(--_quiet);
  }
  progress {
    width: 100%;
    accent-color: var(--_accent);
  }
  .field {
    display: grid;
    gap: 0.25rem;
    margin-top: 1rem;
  }
  textarea {
    box-sizing: border-box;
    width: 100%;
    padding: 0.5rem;
    border: 1px solid var(--_track);
    border-radius: 4px;
    background: var(--_paper);
    color: inherit;
    font: inherit;
    resize: vertical;
  }
  .writer {
    margin: 0.5rem 0 1.5rem;
  }
  .written {
    margin-top: 0.75rem;
    font-size: 1rem;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .outcome {
    margin-bottom: 1rem;
  }
  /* Names of classes and texts may be long. */
  .outcome .next {
    grid-template-columns: fit-content(60%) minmax(3rem, 1fr) max-content;
  }
  .outcome dt {
    overflow-wrap: anywhere;
  }
  .patched {
    --heat-map-aspect: 2.5;
    --heat-map-column-ticks: 4.5rem;
  }
  .choices {
    margin-block: 1rem;
  }
  .likeness {
    max-width: 26rem;
  }
  .name {
    margin: 1rem 0 0.25rem;
    font-weight: 600;
  }
`;
