import { css, unsafeCSS } from 'lit';
import colours from '../style/tokens.css?inline';

export const cellStyles = css`
  .bar {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0.25rem 1rem;
    padding: 0.5rem 0.6rem 0 1.1rem;
  }
  .tabs,
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.4rem;
  }
  .tabs {
    gap: 0.25rem 1rem;
  }
  .tabs button {
    padding: 0;
    border: 0;
    border-bottom: 2px solid transparent;
    border-radius: 0;
    color: var(--_quiet);
  }
  .tabs [aria-selected='true'] {
    border-bottom-color: var(--_accent);
    color: var(--_ink);
  }
  .run {
    border-color: var(--_track);
    font-weight: 600;
  }
  .code {
    cursor: text;
  }
  .status {
    padding: 0.6rem 1.1rem;
    color: var(--_quiet);
  }
  .status.off {
    color: var(--_accent);
    overflow-wrap: anywhere;
  }
  .origin {
    margin: 0 1.1rem;
    padding-top: 0.6rem;
    border-top: 1px solid var(--_line);
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .output {
    display: grid;
    margin: 0 1.1rem;
    padding: 0.35rem 0 0.75rem;
  }
  .status:empty,
  .output:not(:has(*)) {
    padding: 0;
  }
  .output pre {
    max-height: 20rem;
    margin: 0;
    overflow: auto;
    font: 0.8125rem/1.6 var(--mono, ui-monospace, monospace);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .output .log {
    color: var(--_quiet);
  }
  .picture {
    margin: 0.5rem 0;
    min-width: 0;
  }
  /* The editor, in the listing's colours. */
  .editor .cm-editor.cm-focused {
    outline: 2px solid var(--_accent);
    outline-offset: -2px;
  }
  .editor .cm-scroller {
    font: 0.8125rem/1.6 var(--mono, ui-monospace, monospace);
  }
  .editor .cm-content {
    padding: 0.9rem 0;
    caret-color: var(--_accent);
  }
  .editor .cm-line {
    padding: 0 1.1rem 0 calc(0.5rem + 4ch);
    text-indent: -4ch;
  }
  .editor .cm-gutters {
    border: 0;
    /* The focus outline is below it. */
    background: none;
    color: var(--_quiet);
  }
  .editor .cm-activeLine,
  .editor .cm-activeLineGutter {
    background: color-mix(in srgb, var(--_ink) 5%, transparent);
  }
  .editor .cm-matchingBracket.cm-matchingBracket {
    background: none;
    outline: 1px solid var(--_track);
  }
  /* Always two rows: the code must not move when a button appears or disappears. */
  @media (max-width: 30rem) {
    .actions {
      flex-basis: 100%;
      justify-content: end;
      gap: 0.25rem;
    }
    .actions button {
      padding: 0 0.5rem;
    }
    .editor .cm-scroller {
      font-size: 0.75rem;
    }
  }
  /* iOS magnifies the page around smaller letters. */
  @media (pointer: coarse) {
    .editor .cm-scroller {
      font-size: 16px;
    }
  }
  @media print {
    .bar,
    .editor {
      display: none;
    }
    .panel[hidden],
    .listing[hidden] {
      display: block;
    }
  }
  ${unsafeCSS(colours)}
`;
