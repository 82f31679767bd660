import { describe, describeList, describeTensor } from './describe.js';
import { fullAllowance, MAX_CURVES, MAX_VALUES, take, type CellMessage, type CellOutput } from './messages.js';

/** How a cell shows its results; README.md has a table of them. */
export interface Show {
  (value: unknown, options?: { readonly kind?: 'heatmap' | 'lines' | 'text' }): void;
  /** Columns of a matrix, by default the first 24, as curves over its rows. */
  lines(matrix: unknown, options?: { readonly columns?: readonly number[] }): void;
}

interface Matrix {
  readonly values: Float32Array | Float64Array;
  readonly shape: readonly number[];
}

/**
 * Makes `show` and `log`, which pass outputs to `post`. Beyond the limits they report so once and then do nothing.
 * Invalid arguments throw a `TypeError` or `RangeError` with what was expected and what was given.
 */
export function createShow(post: (message: CellMessage) => void): {
  show: Show;
  log: (...values: unknown[]) => void;
} {
  const left = fullAllowance();
  let cut = false;
  const put = (output: CellOutput): void => {
    if (cut) return;
    cut = !take(left, output);
    post(cut ? { type: 'cut' } : output);
  };
  const lines: Show['lines'] = (value, options) => put(curves('show.lines', value, options?.columns));
  const show = (value: unknown, options?: { readonly kind?: unknown }): void => put(outputOf(value, options?.kind));
  return {
    show: Object.assign(show, { lines }),
    log: (...values) => put({ type: 'log', text: values.map(describe).join(' ') }),
  };
}

/** A cell's console: messages are outputs, other methods do nothing. */
export function consoleOf(log: (...values: unknown[]) => void): object {
  const silent = (): void => undefined;
  const methods = { log, info: log, debug: log, warn: log, error: log, table: log, dir: log };
  return Object.assign(Object.create(null) as object, methods, {
    assert: silent,
    time: silent,
    timeEnd: silent,
  });
}

function outputOf(value: unknown, kind: unknown): CellOutput {
  if (![undefined, 'heatmap', 'lines', 'text'].includes(kind as string | undefined)) {
    throw new TypeError(`show: expected kind to be 'heatmap', 'lines' or 'text', got ${describe(kind)}`);
  }
  if (kind === 'lines') return curves('show', value, undefined);
  const matrix = asTensor(value);
  if (kind === 'heatmap' && matrix?.shape.length !== 2) {
    throw new TypeError(`show: expected a matrix for a heat map, got ${kindOf(value, matrix)}`);
  }
  if (matrix?.shape.length === 2 && kind !== 'text') return heatMap(matrix);
  if (matrix !== undefined) return { type: 'text', text: describeTensor(matrix.values, matrix.shape) };
  return { type: 'text', text: isFlat(value) ? describeList(Array.from(value)) : describe(value) };
}

function heatMap({ values, shape: [rows = 0, columns = 0] }: Matrix): CellOutput {
  checkSize('show', values);
  return { type: 'heatmap', values, rows, columns };
}

function curves(operation: string, value: unknown, wanted: unknown): CellOutput {
  const matrix = asTensor(value);
  if (matrix?.shape.length !== 2) {
    throw new TypeError(`${operation}: expected a matrix, got ${kindOf(value, matrix)}`);
  }
  checkSize(operation, matrix.values);
  const [rows = 0, columns = 0] = matrix.shape;
  if (wanted !== undefined && !Array.isArray(wanted)) {
    throw new TypeError(`${operation}: expected columns to be an array, got ${kindOf(wanted)}`);
  }
  const shown: unknown[] = wanted ?? [...Array(Math.min(columns, MAX_CURVES)).keys()];
  if (shown.length > MAX_CURVES) {
    throw new RangeError(`${operation}: expected at most ${MAX_CURVES} columns, got ${shown.length}`);
  }
  for (const column of shown) {
    if (!Number.isInteger(column) || Number(column) < 0 || Number(column) >= columns) {
      throw new RangeError(
        `${operation}: expected columns to be integers from 0 to ${columns - 1}, got ${describe(column)}`,
      );
    }
  }
  const drawn = shown as number[];
  const values = Float64Array.from(
    { length: rows * drawn.length },
    (_, i) => matrix.values[Math.floor(i / drawn.length) * columns + drawn[i % drawn.length]!]!,
  );
  return { type: 'lines', values, rows, shown: drawn };
}

function checkSize(operation: string, { length }: ArrayLike<number>): void {
  if (length > 0 && length <= MAX_VALUES) return;
  throw new RangeError(`${operation}: expected from 1 to ${MAX_VALUES} values, got ${length}`);
}

/** A copy of `{ data, shape }` or nested arrays of rank 2; undefined for anything else. */
function asTensor(value: unknown): Matrix | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.length > 0 && value.every(isNumbers) ? nested(value) : undefined;
  const { data, shape } = value as { data?: unknown; shape?: unknown };
  if (!isNumbers(data) || !Array.isArray(shape) || !shape.every((size) => Number.isInteger(size))) return undefined;
  const sizes = shape as number[];
  const count = sizes.reduce((product, size) => product * size, 1);
  if (count !== data.length) {
    throw new RangeError(`show: expected ${count} values for the shape ${describeList(sizes)}, got ${data.length}`);
  }
  return { values: copy(data), shape: [...sizes] };
}

function nested(rows: readonly ArrayLike<number>[]): Matrix {
  const columns = rows[0]!.length;
  const ragged = rows.findIndex((row) => row.length !== columns);
  if (ragged >= 0) {
    throw new TypeError(`show: expected rows of ${columns} numbers each, got ${rows[ragged]!.length} in row ${ragged}`);
  }
  const values = Float64Array.from(rows.flatMap((row) => Array.from(row)));
  return { values, shape: [rows.length, columns] };
}

/** A copy at the same precision, since the cell may go on changing its own. */
function copy(data: ArrayLike<number>): Float32Array | Float64Array {
  return data instanceof Float32Array ? Float32Array.from(data) : Float64Array.from(data);
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return !/DataView|BigInt/.test(Object.prototype.toString.call(value));
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}

function isFlat(value: unknown): value is ArrayLike<number | string> {
  if (isNumbers(value)) return true;
  return Array.isArray(value) && value.every((entry) => ['number', 'string'].includes(typeof entry));
}

function kindOf(value: unknown, tensor?: Matrix): string {
  if (tensor !== undefined) return `one of shape ${describeList(tensor.shape)}`;
  if (value === null || typeof value !== 'object') return value === undefined ? 'undefined' : describe(value);
  return Object.prototype.toString.call(value).slice(8, -1);
}
