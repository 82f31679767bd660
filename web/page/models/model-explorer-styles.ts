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
  .picture {
    margin: 1rem 0;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    margin-top: 0.75rem;
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
