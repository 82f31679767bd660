import { css } from 'lit';

/** Six small maps, the large one beside them (below them on narrow pages), and the bars of its rows. */
export const tokensStyles = css`
  :host {
    --heat-map-aspect: calc(var(--_columns) / var(--_rows));
  }
  .board {
    display: grid;
    gap: 1rem 2rem;
  }
  @container (min-width: 40rem) {
    .board {
      grid-template-columns: minmax(0, 5fr) minmax(0, 8fr);
    }
  }
  .heads {
    display: grid;
    grid-template-columns: repeat(3, minmax(0, 1fr));
    align-content: start;
    gap: 0 0.5rem;
    --heat-map-row-ticks: 0px;
    --heat-map-column-ticks: 0px;
  }
  @container (min-width: 40rem) {
    .heads {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
  @container (min-width: 56rem) {
    .board {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .heads {
      grid-template-columns: repeat(3, minmax(0, 1fr));
    }
  }
  .head {
    display: grid;
    grid-row: span 3;
    grid-template-rows: subgrid;
    align-items: end;
    gap: 0;
    padding: 0.25rem 0.4rem 0.4rem;
    border: 2px solid transparent;
    border-radius: 6px;
  }
  .head.solo {
    border-color: var(--_accent);
  }
  .head heat-map {
    width: 100%;
    max-width: calc(10rem * min(1, var(--heat-map-aspect)));
    margin-inline: auto;
  }
  .head .name,
  .bits {
    font-size: 0.75rem;
    text-align: center;
  }
  .solo .name {
    font-weight: 600;
  }
  .bits {
    color: var(--_quiet);
  }
  /*
   * Few tokens get large cells, so that the map is larger than the small ones. Many rows get small ones, so that the
   * controls are in sight.
   */
  .large {
    --_cells: calc(
      var(--_columns) * min(18.5rem / var(--_rows), max(2.75rem, 14rem / max(var(--_columns), var(--_rows))))
    );
    display: grid;
    grid-template-columns: minmax(0, calc(var(--_cells) + 4.25rem)) 5rem minmax(0, 1fr);
    align-content: start;
    gap: 0.25rem 0;
    --heat-map-row-ticks: 4.25rem;
    --heat-map-column-ticks: 4.25rem;
  }
  .large .name {
    grid-column: 1 / -1;
    padding-inline-start: 4.25rem;
    font-weight: 600;
  }
  .large heat-map {
    grid-column: 1;
  }
  .switches {
    align-items: end;
    margin-top: 0.25rem;
  }
  @container (min-width: 40rem) {
    .controls.placed {
      grid-template-columns: minmax(12rem, 1fr) auto;
    }
    .controls.placed > * {
      grid-column: auto;
    }
  }
`;
