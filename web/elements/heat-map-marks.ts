import { scaleLinear } from 'd3-scale';
import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { Cell } from './heat-map-cursor.js';

/** The parts of a heat map that are drawn over or beside its canvas; everything in per cent, so that nothing needs measuring. */
interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly validColumns?: number | undefined;
  readonly cursor?: Cell | undefined;
}

/** Numbers beside the rows. */
export function rowTicks(rows: number, origin: number): SVGTemplateResult[] {
  return ticks(rows, 6).map(
    (row) =>
      svg`<text x="100%" dx="-6" y=${middle(row, rows)} dy="0.35em" text-anchor="end">${row + origin}</text>`,
  );
}

/** Numbers below the columns. */
export function columnTicks(columns: number, origin: number): SVGTemplateResult[] {
  return ticks(columns, 8).map(
    (column) =>
      svg`<text x=${middle(column, columns)} y="1.15em" text-anchor="middle">${column + origin}</text>`,
  );
}

/** Hatching over the masked columns. */
export function hatching({ columns, validColumns = columns }: Grid): SVGTemplateResult | typeof nothing {
  if (validColumns >= columns) return nothing;
  const start = (validColumns / columns) * 100;
  return svg`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="hatch" width="1" height="6" />
    </pattern>
    <rect x="${start}%" width="${100 - start}%" height="100%" fill="url(#hatch)" />`;
}

/** The frame around the cell under the cursor, on a halo that sets it off from any colour. */
export function cursorMark({ rows, columns, cursor }: Grid): SVGTemplateResult | typeof nothing {
  if (cursor === undefined) return nothing;
  const box = (name: string): SVGTemplateResult =>
    svg`<rect class=${name} x="${(cursor.column / columns) * 100}%" y="${(cursor.row / rows) * 100}%"
      width="${100 / columns}%" height="${100 / rows}%" />`;
  return svg`${box('halo')}${box('cursor')}`;
}

function middle(index: number, count: number): string {
  return `${((index + 0.5) / count) * 100}%`;
}

/** Whole numbers below `count`, about `wanted` of them, evenly apart. */
function ticks(count: number, wanted: number): number[] {
  if (count <= wanted) return Array.from({ length: count }, (_, i) => i);
  return scaleLinear([0, count - 1], [0, 1])
    .ticks(wanted)
    .filter((tick) => Number.isInteger(tick));
}
