import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { css, html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { Width } from '../shared/controls/width.js';
import { EncodingFigure } from '../shared/encoding/encoding-figure.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure } from '../shared/figure/figure-element.js';
import type { CellDetail } from '../package-types.js';
import '../shared/heat-map/heat-map.js';
import { plotCursorStyles, plotStyles } from '../shared/plot/plot-styles.js';
import { subscript } from '../shared/plot/subscript.js';

const MARGIN = { top: 26, right: 10, bottom: 36, left: 38 };
/**
 * The curve's heights: low below the map, so that both and the sliders fit on the screen, and as high as the map beside
 * it.
 */
const [LOW, HIGH] = [198, 330];
const WIDE = 720; // 45rem, as below

/** The first row of a matrix, as a matrix. */
function first({ data, shape: [, width = 0] }: Tensor): Tensor {
  return { data: data.subarray(0, width), shape: [1, width] };
}

/**
 * `<encoding-similarity>`: the products p_i · p_j of all pairs of positions, divided by d/2, the squared length of a
 * row, so that the product of a position with itself is 1; and the same over the offset j − i, on whose absolute value
 * alone they depend. With an odd width both are only approximate, because the last sine has no cosine.
 */
export class EncodingSimilarity extends EncodingFigure {
  static override styles = [
    plotStyles,
    plotCursorStyles,
    css`
      /* A square that leaves the curve below it on the same screen. */
      heat-map {
        --heat-map-width: 24rem;
      }
      .both {
        display: grid;
        gap: 0.75rem 1.75rem;
      }
      @container (min-width: 45rem) {
        .both {
          grid-template-columns: 24rem minmax(0, 1fr);
          align-items: start;
        }
      }
      .profile svg {
        --_series: var(--_series-0);
      }
      .curve {
        fill: none;
        stroke: var(--_series-0);
        stroke-width: 2;
      }
    `,
  ];

  static override properties = { ...EncodingFigure.properties, pointed: { state: true } };

  declare protected pointed: CellDetail | undefined;
  readonly #width = new Width(this, '.profile');
  readonly #figureWidth = new Width(this);

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, length } = this;
    const P = this.encoding(library);
    const products = this.#products(library, P, P);
    const before = this.compared(library);
    // From zero if no product is negative, so that colours mean the same at every setting.
    const least = Math.floor(10 * products.reduce((low, value) => Math.min(low, value), 0)) / 10;
    const most = this.width % 2 === 0 ? 1 : Math.ceil(100 * Math.max(...this.#own(products))) / 100;
    return html`
      <div class="both">
        <heat-map
          .values=${products}
          .rows=${length}
          .columns=${length}
          .low=${least}
          .high=${most}
          label=${words.text('similarity.mapLabel', { length })}
          row-name=${`${words.text('position')} i`}
          column-name=${`${words.text('position')} j`}
          @cell-change=${(event: CustomEvent<CellDetail>) => (this.pointed = event.detail)}
        ></heat-map>
        <div class="profile">
          ${this.#profile(products, before && { name: before.name, row: this.#products(library, first(before.P), before.P) })}
        </div>
      </div>
      ${this.sliders()} ${this.#odd(products)}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { words } = this;
    const P = this.encoding(library);
    const row = this.#products(library, first(P), P);
    const least = Math.min(...row);
    return words.text('similarity.shown', {
      near: words.number(row[1] ?? NaN),
      least: words.number(least),
      distance: row.indexOf(least),
    });
  }

  /** Q·Pᵀ·2/d, (length, length) if Q is P. */
  #products(library: WasmAttention, Q: Tensor, P: Tensor): Float32Array {
    const scale = 2 / this.width;
    // The scores of attention whose queries and keys are the positions.
    return library.scaledDotProductAttention(Q, P, P, { scale, needScores: 'scaled' }).scores!.data;
  }

  /** The products of the positions with themselves. */
  #own(products: Float32Array): number[] {
    return Array.from({ length: this.length }, (_, i) => products[i * this.length + i] ?? NaN);
  }

  /** Below the sliders, because it comes and goes with one of them, which has to stay in place. */
  #odd(products: Float32Array): TemplateResult | typeof nothing {
    if (this.width % 2 === 0) return nothing;
    const { words } = this;
    const own = this.#own(products);
    const [least, most] = [words.number(Math.min(...own), 3), words.number(Math.max(...own), 3)];
    const range = least === most ? least : `${least} – ${most}`;
    return html`<p class="readout">${words.text('similarity.odd', { range })}</p>`;
  }

  /**
   * The products over the offset: the first position's row and its mirror image. Behind them, faint, the first row with
   * the initial base.
   */
  #profile(products: Float32Array, before: { row: Float32Array; name: string } | undefined): SVGTemplateResult {
    const { words, length } = this;
    const height = this.#height;
    const right = this.#width.pixels - MARGIN.right;
    const x = scaleLinear([1 - length, length - 1], [MARGIN.left, right]);
    const row = products.subarray(0, length);
    // From zero, or from the next half below the least product: a taller curve is easier to read.
    const least = Math.min(0, ...row, ...(before?.row ?? []));
    const y = scaleLinear([Math.floor(2 * least) / 2, 1], [height - MARGIN.bottom, MARGIN.top]);
    const distances = Array.from({ length: 2 * length - 1 }, (_, k) => k - (length - 1));
    const at = (distance: number): number => products[distance < 0 ? -distance * length : distance] ?? NaN;
    const path = (of: (distance: number) => number): string =>
      line<number>(x, (distance) => y(of(distance)))(distances) ?? '';
    const faint =
      before &&
      svg`<path class="curve before" d=${path((distance) => before.row[Math.abs(distance)] ?? NaN)} />
      <text x=${right} y="12" text-anchor="end">${before.name}</text>`;
    const value = (level: number): SVGTemplateResult =>
      svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(level)} y2=${y(level)} />
        <text x=${MARGIN.left - 6} y=${y(level)} dy="0.35em" text-anchor="end">${words.number(level)}</text>`;
    const tick = (distance: number): SVGTemplateResult =>
      svg`<text x=${x(distance)} y=${height - MARGIN.bottom + 16} text-anchor="middle">${words.number(distance)}</text>`;
    return svg`<svg height=${height} role="img" aria-label=${words.text('similarity.profileLabel')}>
      ${y.ticks(3).map(value)}${x.ticks(6).filter(Number.isInteger).map(tick)}
      <text x="0" y="12">p${subscript('i', ' · p')}${subscript('j', ' ∕ (d∕2)')}</text>
      ${faint}
      <path class="curve" d=${path(at)} />
      ${this.#cursor(x, (offset) => y(at(offset)))}
      <text x=${(MARGIN.left + right) / 2} y=${height - 3} text-anchor="middle">${words.text('relative.offset')}</text>
    </svg>`;
  }

  get #height(): number {
    return this.#figureWidth.pixels < WIDE ? LOW : HIGH;
  }

  /** The offset of the cell under the cursor, on the curve. */
  #cursor(x: (offset: number) => number, y: (offset: number) => number): SVGTemplateResult | typeof nothing {
    if (this.pointed === undefined) return nothing;
    // The map's cursor, clamped to a shorter sequence.
    const within = (at: number): number => Math.min(at, this.length - 1);
    const offset = within(this.pointed.column) - within(this.pointed.row);
    return svg`<line class="cursor-line" x1=${x(offset)} x2=${x(offset)} y1=${MARGIN.top} y2=${this.#height - MARGIN.bottom} />
      <circle class="dot" cx=${x(offset)} cy=${y(offset)} r="5" />
      <text class="offset" x=${x(offset)} y="12" text-anchor="middle">${this.words.number(offset)}</text>`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, length } = this;
    const P = this.encoding(library);
    const products = this.#products(library, P, P);
    const name = words.text('position');
    return {
      columns: [`${name} \\ ${name}`, ...Array.from({ length }, (_, j) => String(j))],
      rows: Array.from({ length }, (_, i) => [i, ...products.subarray(i * length, (i + 1) * length)]),
    };
  }

  protected override code(): FigureCode {
    return {
      javascript: `${this.javascriptOfP()}
const dot = (i, j) => {
  let sum = 0;
  for (let c = 0; c < dim; ++c) sum += P[i * dim + c] * P[j * dim + c];
  return sum;
};
for (let i = 0; i < length; ++i) {
  console.log(i, ...Array.from({ length }, (_, j) => (dot(i, j) * 2) / dim));
}
`,
      pytorch: `${this.pytorchOfP()}
print(P @ P.T * 2 / dim)
`,
    };
  }
}

defineFigure('encoding-similarity', EncodingSimilarity);
