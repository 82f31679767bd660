import { html, type TemplateResult } from 'lit';

/** A matrix and the texts around it. */
export interface ValuesTable {
  readonly values: ArrayLike<number>;
  readonly rows: number;
  readonly caption: string;
  readonly rowName: string;
  readonly columnName: string;
  /** The number of the first row. */
  readonly origin: number;
  /** The columns' numbers. */
  readonly heads: readonly number[];
  readonly format: (value: number) => string;
}

/** A matrix as an HTML table, for reading exact numbers and for screen readers. */
export function valuesTable(table: ValuesTable): TemplateResult {
  const { values, rows, heads, origin } = table;
  const row = (r: number): TemplateResult =>
    html`<tr>
      <th scope="row">${r + origin}</th>
      ${heads.map((_, c) => html`<td>${table.format(values[r * heads.length + c] ?? NaN)}</td>`)}
    </tr>`;
  return html`<table>
    <caption>
      ${table.caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${table.rowName} \\ ${table.columnName}</th>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${Array.from({ length: rows }, (_, r) => row(r))}
    </tbody>
  </table>`;
}
