import { isInt8 } from '../check/weightType.js';
import type { Wasm } from '../runtime/wasm.js';

/** The number of floats that are packed at a time. */
const CHUNK = 2 ** 16;
/** The factors of int8's columns come from about so many rows, in groups that are spread evenly over the matrix. */
const WEIGHED = 64;
const GROUP = 8;

/** A packed matrix (outputs, inputs); `type` is its type's number in C++. */
export interface PackedMatrix {
  readonly packed: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly type: number;
}

/** Rows [first, first + count) of a matrix. */
type ReadRows = (first: number, count: number) => Float32Array;

/** Gives the columns of an int8 matrix their factors: those of its rows, or 1 without rows. */
export function scaleColumns(
  wasm: Wasm,
  operation: string,
  { packed, inputs, outputs, type }: PackedMatrix,
  read?: ReadRows,
): void {
  if (!isInt8(type)) return;
  const { raw, memory } = wasm;
  memory.clear(packed, inputs);
  const step = GROUP * Math.ceil(outputs / WEIGHED);
  for (let first = 0; read && first < outputs; first += step) {
    const count = Math.min(GROUP, outputs - first);
    memory.scope(operation, () => raw.weighInt8Columns(memory.placed(read(first, count)), inputs, count, packed));
  }
  memory.scope(operation, () => raw.scaleInt8Columns(packed, inputs, memory.reserve(inputs)));
}

/** Packs `rows` rows from `first` on; `read` counts from there. */
export function packRows(
  { raw, memory }: Wasm,
  operation: string,
  { packed, inputs, outputs, type }: PackedMatrix,
  read: ReadRows,
  first = 0,
  rows = outputs,
): void {
  // Whole panels of 8 rows.
  const most = Math.max(8, Math.floor(CHUNK / inputs / 8) * 8);
  for (let row = 0; row < rows; row += most) {
    const count = Math.min(most, rows - row);
    memory.scope(operation, () =>
      raw.packWeight(memory.placed(read(row, count)), packed, inputs, outputs, first + row, count, type),
    );
  }
}
