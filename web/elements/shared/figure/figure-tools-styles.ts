import { css } from 'lit';

/** The container of a figure's picture, the row of tools, what it opens, and the figure on a full screen. */
export const toolStyles = css`
  /* Figures are laid out by their own width, because a column of a wide page may be narrow. */
  .stage {
    container-type: inline-size;
  }
  /*
   * A phone shows a slider and what it moves at once: the controls stick to the window's bottom while the picture is in
   * sight. Beside buttons or choices only the sliders do, so that less is covered.
   */
  @media screen and (max-width: 30rem) and (min-height: 40rem) {
    /* What gets the focus is scrolled out from under them: see styles.ts. */
    .stage {
      --_covered: 12rem;
    }
    .controls:has(> .sliders) {
      display: contents;
    }
    .controls:has(> .sliders) > :not(.sliders) {
      margin-top: 0.5rem;
    }
    .controls:has(> .sliders) > :first-child {
      margin-top: var(--_apart);
    }
    .controls:not(.placed, :has(> .sliders)),
    .sliders {
      display: grid;
      --_covered: 0px;
      position: sticky;
      bottom: 0;
      z-index: 1;
      margin-block: 0.5rem 0;
      padding-block: 0.5rem;
      border-top: 1px solid;
      /* The outermost labels of maps overflow a little, and so do the rule and the background that hides them. */
      border-image: linear-gradient(var(--_track) 0 0) 1 / 1px 0 0 / 0 1rem;
      background: var(--_paper);
      box-shadow:
        -1rem 0 var(--_paper),
        1rem 0 var(--_paper);
    }
    .controls,
    .sliders {
      gap: 0.25rem 0.75rem;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr));
      align-items: end;
    }
    .slider output {
      margin-inline-start: 0.375rem;
    }
    /* Beside its buttons if all of them fit there, otherwise above them: a floating legend is laid out like them. */
    .choices legend {
      float: left;
    }
    .choices {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
    }
    .choices,
    .options {
      gap: 0.25rem 0.9rem;
    }
    .controls > fieldset {
      grid-column: 1 / -1;
    }
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 1.1rem;
    margin-top: var(--_apart);
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  .tools button,
  .panel button {
    min-width: 1.5rem;
    min-height: 1.75rem;
    padding: 0;
    border: 0;
    border-radius: 2px;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  .tools button:hover,
  .panel button:hover {
    color: var(--_accent);
    text-decoration: underline;
    text-underline-offset: 0.25em;
  }
  .tools .more {
    padding-bottom: 0.5rem;
    font-size: 1.25rem;
    line-height: 1;
  }
  @media (max-width: 30rem) {
    .tools > button {
      min-width: 2.5rem;
      min-height: 2.5rem;
    }
  }
  .menu {
    position: absolute;
    inset: auto;
    margin: 0;
    padding: 0.35rem 0.85rem;
    border: 1px solid var(--_line);
    border-radius: 4px;
    background: var(--_paper);
    color: var(--_ink);
    font: 0.75rem/1.45 var(--_font);
  }
  .menu button {
    display: block;
    width: 100%;
    min-height: 2rem;
    text-align: start;
  }
  .menu :is([aria-expanded='true'], [aria-pressed='true'])::after {
    content: ' ✓';
    content: ' ✓' / '';
  }
  /* Safari before 17 has no popovers: it shows the tools in a row. */
  @supports not selector(:popover-open) {
    .tools [popovertarget] {
      display: none;
    }
    .menu {
      display: flex;
      position: static;
      flex-wrap: wrap;
      gap: 0 1.1rem;
      padding: 0;
      border: 0;
      color: inherit;
    }
  }
  .panel {
    margin-top: 0.25rem;
    font-size: 0.75rem;
  }
  .panel pre {
    max-height: 22rem;
    margin: 0.25rem 0 0;
    padding: 0.75rem 0.9rem;
    overflow: auto;
    border: 1px solid var(--_line);
    border-radius: 4px;
    color: var(--_ink);
    overflow-wrap: anywhere;
    white-space: pre-wrap;
    font: 0.75rem/1.55 var(--figure-mono, ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace);
    tab-size: 2;
  }
  .panel .address {
    box-sizing: border-box;
    width: 100%;
    min-height: 1.75rem;
    padding: 0.2rem 0.5rem;
    border: 1px solid var(--_line);
    border-radius: 4px;
    background: none;
    color: inherit;
    font: inherit;
  }
  .skip {
    position: absolute;
    z-index: 2;
    min-height: 1.75rem;
    padding: 0 0.7rem;
    border: 1px solid var(--_line);
    border-radius: 4px;
    background: var(--_paper);
    color: var(--_ink);
    font: inherit;
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
    pointer-events: none;
  }
  .end {
    outline: none;
  }
  .note {
    color: var(--_quiet);
    font-size: 0.75rem;
  }
  /* Width and magnification: see full-screen.ts. */
  :host(:fullscreen) {
    display: flex;
    box-sizing: border-box;
    flex-direction: column;
    justify-content: safe center;
    padding: 1rem max(1rem, calc((100% - var(--_width, 60rem)) / 2));
    overflow: auto;
    background: var(--_paper);
  }
  :host(:fullscreen) :is(.controls:not(.placed), .sliders) {
    position: sticky;
    /* Inside the figure's padding, down to the edge of the screen. */
    bottom: -1rem;
    z-index: 1;
    padding-bottom: 0.5rem;
    background: var(--_paper);
    box-shadow: none;
  }
  /* One of the tools leaves full screen, and a phone has no key for it. */
  :host(:fullscreen) .tools {
    position: sticky;
    z-index: 2;
    top: -1rem;
    order: -1;
    margin: 0 0 0.75rem;
    background: var(--_paper);
  }
  .question {
    margin-bottom: 0.75rem;
    font-weight: 600;
  }
  @media print {
    .skip,
    .tools,
    .panel,
    .note,
    .figure-values,
    .controls {
      display: none;
    }
  }
`;
