import { html, type TemplateResult } from 'lit';
import type { FigureData } from './figure-element.js';
import type { Localised } from './localised.js';

/** Decimals of numbers that are no whole ones; a column of nothing but smaller ones is written with powers of ten. */
const DECIMALS = 3;
const SMALL = 0.01;

/** A figure's numbers as an HTML table, written as the language writes them; the first column heads the rows. */
export function dataTable({ columns, rows }: FigureData, words: Localised, label: string): TemplateResult {
  const formats = columns.map((_, column) => formatOf(rows, column, words));
  const text = (value: string | number, column: number): string =>
    typeof value === 'string' ? value : (formats[column]?.(value) ?? String(value));
  return html`<div class="scroller" role="region" tabindex="0" aria-label=${label}>
    <table>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([head = '', ...values]) =>
            html`<tr>
              <th scope="row">${text(head, 0)}</th>
              ${values.map((value, index) => html`<td>${text(value, index + 1)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** One format for a column, so that its numbers line up. */
function formatOf(rows: FigureData['rows'], column: number, words: Localised): (value: number) => string {
  const numbers = rows.map((row) => row[column]).filter((value) => typeof value === 'number');
  if (numbers.every(Number.isInteger)) return (value) => words.number(value, 0);
  const largest = numbers.reduce(
    (most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most),
    0,
  );
  if (largest < SMALL) return (value) => words.small(value);
  return (value) => words.number(value, DECIMALS);
}
