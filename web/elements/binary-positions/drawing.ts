import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';

/** The approximate width of a letter, in CSS pixels. */
const LETTER = 7.5;

/** A block of cells: 1 is filled. Lengths are in drawing units. */
export interface Block {
  readonly cells: Uint8Array | Int8Array;
  readonly columns: number;
  readonly left: number;
  readonly right: number;
  readonly className: string;
  readonly name: string;
  /** The column heads, from left to right. */
  readonly heads: readonly string[];
}

/** The top of the cells. */
export const TOP = 38;
export const LEFT = 30;

/** A block's cells, `cell` pixels high each, with its name and column heads. */
export function drawnBlock(
  { cells, columns, left, right, className, name, heads }: Block,
  cell: number,
): SVGTemplateResult {
  const rows = cells.length / columns;
  const unit = (right - left) / columns;
  const filled: string[] = [];
  for (let i = 0; i < rows; ++i) {
    for (let k = 0; k < columns; ++k) {
      if (cells[i * columns + k] === 1) {
        filled.push(`M${left + k * unit + 0.5},${TOP + i * cell + 0.5}h${unit - 1}v${cell - 1}h${1 - unit}z`);
      }
    }
  }
  // The last column has a head, and so has every second, third … of the others, so that the longest, the first, would
  // fit.
  const step = Math.ceil((heads[0]!.length * LETTER + 5) / unit);
  // A long name over a narrow block begins before it.
  const ends = name.length * LETTER > right - left;
  return svg`<text class="name" x=${ends ? right : left} y="10" text-anchor=${ends ? 'end' : 'start'}>${name}</text>
      ${heads.map((head, k) => ((columns - 1 - k) % step === 0 ? svg`<text x=${left + (k + 0.5) * unit} y=${TOP - 7} text-anchor="middle">${head}</text>` : nothing))}
      <rect class="ground" x=${left} y=${TOP} width=${right - left} height=${rows * cell} />
      <path class=${className} d=${filled.join('')} />`;
}

/** The positions' numbers beside their rows, as many as fit. */
export function rowNumbers(rows: number, cell: number, words: Localised): SVGTemplateResult[] {
  const step = cell >= 16 ? 1 : cell >= 11 ? 2 : 4;
  return Array.from({ length: Math.ceil(rows / step) }, (_, k) => k * step).map(
    (i) => svg`<text x=${LEFT - 8} y=${TOP + (i + 0.5) * cell} dy="0.35em" text-anchor="end">${words.number(i)}</text>`,
  );
}
