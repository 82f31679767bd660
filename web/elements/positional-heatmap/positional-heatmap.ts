import { css, html, nothing, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { PositionalCurves } from '../positional-curves/positional-curves.js';
import { MAX_COLUMNS } from '../shared/encoding/encoding-group.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import '../shared/heat-map/heat-map.js';
import type { CellDetail } from '../package-types.js';
import { seriesMarks } from '../shared/plot/series.js';
import { flag, several, whole } from '../shared/settings.js';
import { closest, type Closest } from './closest.js';

/**
 * `<positional-heatmap>`: the matrix P of sine and cosine encodings as a heat map, positions down, columns across,
 * beside curves of some of its columns. Picking a cell adds its column to the curves, or removes it.
 */
export class PositionalHeatmap extends PositionalCurves {
  static override settings = { ...PositionalCurves.settings, marked: several([], whole(0, 0, 255)), goals: flag(true) };
  static override styles = [
    ...PositionalCurves.styles,
    goalStyles,
    css`
      .both {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--_apart) 1.5rem;
      }
      @container (min-width: 52rem) {
        .both {
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
          align-items: end;
        }
      }
      heat-map {
        --heat-map-aspect: 1.5;
      }
      .marks {
        display: block;
        box-sizing: border-box;
        height: 7px;
        padding-inline-start: calc(1.75rem + 1.125rem);
        margin-bottom: 2px;
        overflow: visible;
      }
      @container (max-width: 28rem) {
        heat-map {
          --heat-map-aspect: 0.85;
        }
      }
    `,
  ];

  /** Positions whose rows are marked, 0 to 255; default none. */
  declare marked: readonly number[];
  /** Whether there are goals. */
  declare goals: boolean;
  readonly #goals = new Goals(this);
  #closest: { readonly of: string; readonly found: Closest } | undefined;

  override change(settings: Parameters<PositionalCurves['change']>[0]): void {
    super.change(settings);
    if (this.goals && this.library !== undefined)
      this.say(...this.#goals.win(this.words, this.#hunts(this.#found(this.library))));
  }

  #hunts({ far, near }: Closest): Record<string, Winnable> {
    const { words } = this;
    return {
      alike: { text: words.text('heatmap.goalAlike'), won: far < near, why: words.text('heatmap.whyAlike') },
    };
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const P = this.encoding(library);
    const [rows = 0, columns = 0] = P.shape;
    const found = this.#found(library);
    return html`
      <div class="both">
        <div>${this.curves(library)}</div>
        <div>
          ${seriesMarks(this.drawnColumns, columns, this.looks)}
          <heat-map
            .values=${P.data}
            .rows=${rows}
            .columns=${columns}
            .marked=${this.marked.filter((row) => row < rows).map((row) => ({ row }))}
            label=${words.text('encoding.mapLabel', { length: rows, width: columns })}
            row-name=${words.text('position')}
            column-name=${words.text('column')}
            pickable
            @cell-pick=${this.#toggleColumn}
          ></heat-map>
        </div>
      </div>
      ${this.columnSliders()}
      <p class="remark">${this.#alike(found)}</p>
      ${this.goals ? this.#goals.list(words, this.#hunts(found)) : nothing}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    return `${this.periods()} ${this.#alike(this.#found(library))}`;
  }

  /** The most similar rows, computed once for each P. */
  #found(library: WasmAttention): Closest {
    const of = `${this.length} ${this.width} ${this.base}`;
    if (this.#closest?.of !== of) this.#closest = { of, found: closest(this.encoding(library)) };
    return this.#closest.found;
  }

  #alike({ distance, far, near }: Closest): string {
    const { words } = this;
    return words.text('heatmap.closest', { distance, far: words.number(far), near: words.number(near) });
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, length, width } = this;
    const { data } = this.encoding(library);
    return {
      columns: [
        `${words.text('position')} \\ ${words.text('column')}`,
        ...Array.from({ length: width }, (_, column) => String(column)),
      ],
      rows: Array.from({ length }, (_, i) => [i, ...data.subarray(i * width, (i + 1) * width)]),
    };
  }

  protected override code(): FigureCode {
    return {
      javascript: `${this.javascriptOfP()}
for (let i = 0; i < length; ++i) console.log(i, ...P.subarray(i * dim, (i + 1) * dim));
`,
      pytorch: `${this.pytorchOfP()}
print(P)
`,
    };
  }

  readonly #toggleColumn = (event: CustomEvent<CellDetail>): void => {
    const { column } = event.detail;
    const drawn = this.drawnColumns;
    const without = drawn.filter((other) => other !== column);
    if (without.length === drawn.length) {
      this.change({ columns: [...drawn, column].slice(-MAX_COLUMNS).sort((a, b) => a - b) });
    } else if (without.length > 0) {
      this.change({ columns: without });
    } else {
      // The last column stays.
      this.say();
    }
  };
}

defineFigure('positional-heatmap', PositionalHeatmap);
