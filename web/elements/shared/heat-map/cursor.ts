/** A cell of a matrix, counted from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Rows that PageUp and PageDown move. */
const PAGE = 10;

/**
 * Where a key moves the cursor: arrows by one, Home and End along the row (with Ctrl to the first and the last cell),
 * PageUp and PageDown by ten rows, never beyond the edges. Undefined for any other key. `none` only clamps a cell.
 */
export function moveCursor(from: Cell, key: string, ctrl: boolean, rows: number, columns: number): Cell | undefined {
  const { row, column } = from;
  const moves: Readonly<Record<string, Cell>> = {
    none: from,
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - PAGE, column },
    PageDown: { row: row + PAGE, column },
    Home: { row: ctrl ? 0 : row, column: 0 },
    End: { row: ctrl ? rows - 1 : row, column: columns - 1 },
  };
  const to = moves[key];
  if (to === undefined) return undefined;
  return { row: clamp(to.row, rows - 1), column: clamp(to.column, columns - 1) };
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(max, value));
}
