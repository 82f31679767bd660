import type { CellOutput } from './messages.js';

/**
 * Outputs as text, which the build writes into the page. Numbers keep only the digits that pictures and tables show.
 */
export function packOutputs(outputs: readonly CellOutput[]): string {
  return JSON.stringify(outputs, (key, value: unknown) =>
    key === 'values' ? Array.from(value as Float64Array, shownDigits) : value,
  );
}

/** Reads the text of `packOutputs`. */
export function unpackOutputs(text: string): CellOutput[] {
  return JSON.parse(text, (key, value: unknown) =>
    // JSON has no NaN.
    key === 'values' ? Float64Array.from(value as (number | null)[], (each) => each ?? NaN) : value,
  ) as CellOutput[];
}

/** Three decimals, or two digits of scientific notation: see `Numbers.value` of the figures. */
function shownDigits(value: number): number {
  if (!(Math.abs(value) < 1e-3)) return Number(value.toFixed(3));
  const short = Number(value.toPrecision(2));
  // Rounded up to a thousandth it would be shown with decimals.
  return Math.abs(short) < 1e-3 ? short : value;
}
