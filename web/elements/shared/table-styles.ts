import { css } from 'lit';

/** Tables of numbers in a frame that scrolls, and their disclosure. */
export const tableStyles = css`
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
    margin-top: 0.25rem;
    overflow: auto;
    border: 1px solid var(--_line);
    border-radius: 4px;
    /* A shadow while columns are hidden beyond the edge; the end of the table covers it. */
    background:
      linear-gradient(to left, var(--_paper) 0.75rem, transparent) right / 1.5rem local no-repeat,
      linear-gradient(to left, var(--_track), transparent) right / 0.75rem no-repeat;
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
    /* Above the row heads, which come later in the document. */
    z-index: 1;
    top: 0;
  }
  tbody th:first-child {
    position: sticky;
    left: 0;
  }
`;
