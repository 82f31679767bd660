import { html, nothing, type TemplateResult } from 'lit';

/** A matrix and the texts around it. */
export interface ValuesTable {
  readonly rows: number;
  readonly caption: string;
  readonly rowName: string;
  readonly columnName: string;
  /** A row's number or label, and the columns'. */
  readonly rowHead: (row: number) => number | string;
  readonly heads: readonly (number | string)[];
  /** A cell's text, by its place in the values. */
  readonly format: (at: number) => string;
  /** Says that these are only the first rows and columns. */
  readonly part: (shown: { readonly rows: number; readonly columns: number }) => string;
}

/** The most cells and columns of a table: more take a browser seconds. */
const MOST = { cells: 2 ** 15, columns: 512 };

/** A matrix as an HTML table, for reading exact numbers and for screen readers. */
export function valuesTable(table: ValuesTable): TemplateResult {
  const { heads, rowHead } = table;
  const shown = heads.slice(0, MOST.columns);
  const rows = Math.min(table.rows, Math.floor(MOST.cells / Math.max(1, shown.length)));
  const isPart = rows < table.rows || shown.length < heads.length;
  const row = (r: number): TemplateResult =>
    html`<tr>
      <th scope="row">${rowHead(r)}</th>
      ${shown.map((_, c) => html`<td>${table.format(r * heads.length + c)}</td>`)}
    </tr>`;
  return html`${isPart ? html`<p>${table.part({ rows, columns: shown.length })}</p>` : nothing}
    <table>
      <caption>
        ${table.caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">${table.rowName} \\ ${table.columnName}</th>
          ${shown.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${Array.from({ length: rows }, (_, r) => row(r))}
      </tbody>
    </table>`;
}
