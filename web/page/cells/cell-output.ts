import { html, render, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { valuesTable } from '../../elements/kit.js';
import type { RunState } from './cell-run.js';
import { linesLabel, linesPlot } from './lines-plot.js';
import type { CellOutput } from './messages.js';
import { rangeOf } from './range.js';
import type { CellWords } from './words.js';

type Map = Extract<CellOutput, { type: 'heatmap' }>;
type Lines = Extract<CellOutput, { type: 'lines' }>;

/** One output of a cell, within `width` CSS pixels. */
export function outputItem(output: CellOutput, width: number, words: CellWords): TemplateResult {
  switch (output.type) {
    case 'text':
    case 'log':
      return html`<pre class=${output.type}>${output.text}</pre>`;
    case 'heatmap':
      return heatMap(output, width, words);
    case 'lines':
      return html`<div class="picture" aria-live="off">
        ${linesPlot(output, width, words)} ${linesTable(output, words)}
      </div>`;
  }
}

/** The largest cells of a heat map that fit into `width` and are no higher than a screen. */
function heatMap({ values, rows, columns }: Map, width: number, words: CellWords): TemplateResult {
  const [low, high] = rangeOf(values);
  const side = Math.max(2, Math.min(28, (width - 46) / columns, 480 / rows));
  const plot = Math.max(Math.min(250, width - 46), Math.min(width - 46, side * columns));
  // A column of few cells is not drawn higher than a screen, nor a row flatter than a finger.
  const aspect = Math.max(plot / 480, Math.min(plot / 24, columns / rows));
  const size = (element: Element | undefined): void => {
    const style = (element as HTMLElement | undefined)?.style;
    style?.setProperty('max-width', `${Math.round(plot + 46)}px`);
    style?.setProperty('--heat-map-aspect', `${aspect}`);
  };
  // Not in the live region: screen readers would announce it as a list of its parts.
  return html`<div class="picture" aria-live="off">
    <heat-map
      ${ref(size)}
      .values=${values}
      .rows=${rows}
      .columns=${columns}
      .low=${low}
      .high=${high}
      .label=${words.text('cell.map', { rows: words.number(rows), columns: words.number(columns) })}
      .rowName=${words.text('row')}
      .columnName=${words.text('column')}
    ></heat-map>
  </div>`;
}

/** The curves' values as a table, made when the reader opens it. */
function linesTable(lines: Lines, words: CellWords): TemplateResult {
  const { values, rows, shown } = lines;
  const label = linesLabel(lines, words);
  const fill = (details: Element | undefined): void => {
    const place = details?.querySelector<HTMLElement>('.scroller');
    if (!(details instanceof HTMLDetailsElement) || !details.open || place == null) return;
    const table = valuesTable({
      rows,
      rowName: words.text('row'),
      columnName: words.text('column'),
      rowHead: (row) => row,
      heads: [...shown],
      format: (at) => words.value(values[at] ?? NaN),
      part: (shown) => words.text('table.part', shown),
      caption: label,
    });
    render(table, place);
  };
  return html`<details ${ref(fill)} @toggle=${(event: Event) => fill(event.currentTarget as Element)}>
    <summary>${words.text('table')}</summary>
    <div class="scroller" role="region" tabindex="0" aria-label=${label}></div>
  </details>`;
}

/** The message about a run that may take `seconds`, and has produced `count` outputs. */
export function verdict(status: RunState, words: CellWords, seconds: number, count: number): string {
  switch (status.state) {
    case 'idle':
      return '';
    case 'done':
      return words.text('cell.done', { count: words.number(count) });
    case 'late':
      return words.text('cell.late', { seconds: words.number(seconds) });
    case 'foreign':
      return `${words.text('cell.line', { line: status.foreign.line })}: ${words.text('cell.foreign', { name: status.foreign.specifier })}`;
    case 'failed': {
      const { name, message, line } = status.failure;
      const text = name === '' ? message : `${name}: ${message}`;
      return line === undefined ? text : `${words.text('cell.line', { line })}: ${text}`;
    }
    default:
      return words.text(`cell.${status.state}`);
  }
}
