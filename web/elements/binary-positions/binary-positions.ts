import { html, svg, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { Width } from '../shared/controls/width.js';
import { periodOf } from '../shared/encoding/period.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { readable, readingStyles } from '../shared/plot/reading.js';
import { oneOf, several, whole } from '../shared/settings.js';
import { binaryCode } from './code.js';
import { drawnBlock, LEFT, rowNumbers, TOP, type Block } from './drawing.js';
import { baseOfHalves, bitsOf, signsOf, writtenSign } from './signs.js';
import { binaryStyles } from './styles.js';

const settings = {
  /** The number of positions. */
  rows: whole(32, 8, 64),
  /** Width d of the encoding, even. */
  width: whole(10, 4, 32, 2),
  /**
   * `halves` (default): the base for which each pair has half the frequency of the previous one; `paper`: base 10000.
   */
  frequencies: oneOf('halves', 'paper'),
  /** Positions whose rows are framed. */
  marked: several([], whole(0, 0, 63)),
};

/**
 * `<binary-positions>`: the numbers from 0 in binary, and beside each the signs of its positional encoding's sines,
 * both with the slowest on the left.
 */
export class BinaryPositions extends figureWith(settings) {
  static override styles = [plotStyles, readingStyles, binaryStyles];
  static override properties = { cursor: { state: true } };

  declare protected cursor: number | undefined;
  readonly #width = new Width(this);

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, rows, width } = this;
    const [bits, signs] = this.#blocks(library);
    const ratio = this.#ratio;
    const cell = rows > 32 ? 8 : rows > 16 ? 11 : 16;
    const cursor = this.cursor === undefined ? undefined : Math.min(this.cursor, rows - 1);
    return html`
      <div class="controls placed above">
        ${this.slider('rows', words.text('binary.rows'))} ${this.slider('width', words.text('encoding.width'))}
        ${this.choices('frequencies', words.text('binary.frequencies'), ['paper', 'halves'] as const, (each) => words.text(`binary.${each}`))}
      </div>
      ${readable(
        svg`<svg height=${TOP + rows * cell + 4} aria-hidden="true">
          ${rowNumbers(rows, cell, words)}${drawnBlock(bits, cell)}${drawnBlock(signs, cell)}
          ${[...this.marked, cursor ?? NaN]
            .filter((row) => row < rows)
            .map(
              (row) =>
                svg`<rect class="cursor" x=${LEFT - 2} width=${signs.right - LEFT + 4} y=${TOP + row * cell} height=${cell} />`,
            )}
        </svg>`,
        {
          label: words.text('binary.label', { last: rows - 1, pairs: width / 2 }),
          min: 0,
          max: rows - 1,
          at: cursor,
          text: (row) => this.#row(row, bits, signs),
          below: ({ y }) => {
            const row = Math.floor((y - TOP) / cell);
            return row >= 0 && row < rows ? row : undefined;
          },
          // The last position stays, with its row below.
          read: (row) => (this.cursor = row ?? cursor),
          isDownward: true,
        },
      )}
      <p class="legend">${words.text('binary.filled')}</p>
      ${this.line(ratio, cursor === undefined ? ratio : this.#row(cursor, bits, signs))}
    `;
  }

  protected override sentence(): string {
    const { words, rows, width } = this;
    const period = (j: number): string => words.number(Math.round(periodOf(j, width, this.#base)));
    const bits = Math.ceil(Math.log2(rows));
    const shown = { bits, longest: 2 ** bits, sines: width / 2, first: period(0), last: period(width / 2 - 1) };
    return `${words.text('binary.shown', shown)} ${this.#ratio}`;
  }

  get #ratio(): string {
    const ratio = this.words.number(this.#base ** (2 / this.width), 2);
    return this.words.text('binary.ratio', { ratio });
  }

  get #base(): number {
    return this.frequencies === 'paper' ? 10000 : baseOfHalves(this.width);
  }

  #blocks(library: WasmAttention): [Block, Block] {
    const { words, rows, width } = this;
    const P = library.sinusoidalEncoding({ length: rows, dim: width, base: this.#base }).data;
    const { bits, columns } = bitsOf(rows);
    const { signs, columns: pairs } = signsOf(P, rows, width);
    const room = this.#width.pixels - LEFT - 2;
    // Cells are equally wide in both blocks, which are two cells apart.
    const unit = Math.min(88, room / (columns + pairs + 2));
    const middle = LEFT + columns * unit;
    // A bit repeats after twice its place value.
    const bitPeriods = Array.from({ length: columns }, (_, k) => words.number(2 ** (columns - k)));
    const periods = Array.from({ length: pairs }, (_, k) =>
      words.number(Math.round(periodOf(pairs - 1 - k, width, this.#base))),
    );
    return [
      {
        cells: bits,
        columns,
        left: LEFT,
        right: middle,
        className: 'bit',
        name: words.text('binary.bits'),
        heads: bitPeriods,
      },
      {
        cells: signs,
        columns: pairs,
        left: middle + 2 * unit,
        right: middle + (2 + pairs) * unit,
        className: 'sign',
        name: words.text('binary.signs'),
        heads: periods,
      },
    ];
  }

  #row(row: number, bits: Block, signs: Block): string {
    const of = ({ cells, columns }: Block): number[] => [...cells.subarray(row * columns, (row + 1) * columns)];
    return this.words.text('binary.row', {
      position: this.words.number(row),
      bits: of(bits).join(''),
      signs: of(signs).map(writtenSign).join(' '),
    });
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, rows, width } = this;
    const [bits, signs] = this.#blocks(library);
    const columns = [
      words.text('position'),
      ...bits.heads.map((_, k) => words.text('binary.bit', { place: 2 ** (bits.columns - 1 - k) })),
      ...Array.from({ length: signs.columns }, (_, k) => words.text('binary.sine', { column: width - 2 - 2 * k })),
    ];
    const row = (i: number): (string | number)[] => [
      i,
      ...bits.cells.subarray(i * bits.columns, (i + 1) * bits.columns),
      ...[...signs.cells.subarray(i * signs.columns, (i + 1) * signs.columns)].map(writtenSign),
    ];
    return { columns, rows: Array.from({ length: rows }, (_, i) => row(i)) };
  }

  protected override code(): FigureCode {
    return binaryCode(this.rows, this.width, this.#base);
  }
}

defineFigure('binary-positions', BinaryPositions);
