/** The message to a worker that runs a cell, the messages that it may send, and their limits. */

/** The first and only message to the worker. */
export interface CellStart {
  readonly code: string;
  readonly wasm: Uint8Array<ArrayBuffer>;
}

/** The most outputs of a run. */
export const MAX_OUTPUTS = 200;
/** The most characters in all texts of a run. */
export const MAX_CHARACTERS = 100_000;
/** The most numbers in one heat map or plot: 512 rows of 512. */
export const MAX_VALUES = 2 ** 18;
/** The most numbers in all heat maps and plots of a run. */
export const MAX_VALUES_TOGETHER = 2 ** 20;
/** The most curves in one plot. */
export const MAX_CURVES = 24;

/** What a run may still show. */
export interface Allowance {
  outputs: number;
  characters: number;
  values: number;
}

/** What a run may show in all. */
export function fullAllowance(): Allowance {
  return { outputs: MAX_OUTPUTS, characters: MAX_CHARACTERS, values: MAX_VALUES_TOGETHER };
}

/** Takes an output from the allowance; false if it was more than was left. */
export function take(left: Allowance, output: CellOutput): boolean {
  left.outputs -= 1;
  if ('text' in output) left.characters -= output.text.length;
  else left.values -= output.values.length;
  return left.outputs >= 0 && left.characters >= 0 && left.values >= 0;
}

/** An output to show below the cell. */
export type CellOutput =
  | { readonly type: 'text' | 'log'; readonly text: string }
  | { readonly type: 'heatmap'; readonly values: Values; readonly rows: number; readonly columns: number }
  | {
      readonly type: 'lines';
      readonly values: Values;
      readonly rows: number;
      /** The numbers of the columns in `values`. */
      readonly shown: readonly number[];
    };

/** What the cell threw, and the line of the reader's code, counted from 1. */
export interface CellFailure {
  readonly type: 'failed';
  readonly name: string;
  readonly message: string;
  readonly line: number | undefined;
}

/** The code imports another module than the library, on this line. */
export interface CellForeign {
  readonly type: 'foreign';
  readonly specifier: string;
  readonly line: number;
}

/**
 * `started`: the worker turns to the code; `cut`: there was more output than the limit; `done`: the cell came to its
 * end.
 */
export type CellMessage = CellOutput | CellFailure | CellForeign | { readonly type: 'started' | 'cut' | 'done' };

export type Values = Float32Array | Float64Array;

/**
 * Validates a message from a worker that ran untrusted code: returns a copy with only the expected fields, or undefined
 * if it is invalid.
 */
export function readMessage(data: unknown): CellMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { type, text, name, message, specifier, line } = data as Record<string, unknown>;
  switch (type) {
    case 'started':
    case 'done':
    case 'cut':
      return { type };
    case 'text':
    case 'log':
      return isShort(text) ? { type, text } : undefined;
    case 'failed':
      if (!isShort(name) || !isShort(message)) return undefined;
      return { type, name, message, line: isCount(line) ? line : undefined };
    case 'foreign':
      return isShort(specifier) && isCount(line) ? { type, specifier, line } : undefined;
    case 'heatmap':
    case 'lines':
      return readMatrix(type, data as Record<string, unknown>);
    default:
      return undefined;
  }
}

function readMatrix(
  type: 'heatmap' | 'lines',
  { values, rows, columns, shown }: Record<string, unknown>,
): CellOutput | undefined {
  if (!(values instanceof Float32Array || values instanceof Float64Array)) return undefined;
  if (!isCount(rows) || values.length > MAX_VALUES) return undefined;
  if (type === 'heatmap') {
    return isCount(columns) && rows * columns === values.length ? { type, values, rows, columns } : undefined;
  }
  if (!Array.isArray(shown) || shown.length > MAX_CURVES || rows * shown.length !== values.length) return undefined;
  const list: unknown[] = shown;
  const isColumn = (column: unknown): column is number => column === 0 || isCount(column);
  return list.every(isColumn) ? { type, values, rows, shown: [...list] } : undefined;
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_CHARACTERS;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
