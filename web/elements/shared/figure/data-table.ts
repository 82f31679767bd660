import { html, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';
import type { FigureData } from './figure-data.js';

/** A figure's numbers as an HTML table under `caption`, formatted for the language. */
export function dataTable({ columns, rows, heads = 1 }: FigureData, words: Localised, caption: string): TemplateResult {
  const formats = columns.map((_, column) => formatOf(rows, column, words));
  const text = (value: string | number, column: number): string =>
    typeof value === 'string' ? value : (formats[column]?.(value) ?? String(value));
  return html`<div class="scroller" role="region" tabindex="0" aria-label=${words.text('table')}>
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((value, column) => (column < heads ? html`<th scope="row">${text(value, column)}</th>` : html`<td>${text(value, column)}</td>`))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A column's format. If all of its numbers are whole, they have no decimals. */
function formatOf(rows: FigureData['rows'], column: number, words: Localised): (value: number) => string {
  const whole = rows.every((row) => typeof row[column] !== 'number' || Number.isInteger(row[column]));
  return whole ? (value) => words.number(value, 0) : (value) => words.value(value);
}
