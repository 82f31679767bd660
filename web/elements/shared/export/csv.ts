import type { FigureData } from '../figure/figure-data.js';

/**
 * A figure's numbers as CSV after RFC 4180: CRLF lines, a header in the page's language, dot decimals. Numbers that float32
 * holds exactly are written with as many digits as float32 needs to read them back, others with as many as float64 needs.
 */
export function csvOf({ columns, rows }: FigureData): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  const text = typeof value === 'number' ? shortest(value) : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The shortest decimal that reads back as the same float32, or as the same float64 if `value` is not a float32. Whole numbers
 * have no decimals.
 */
export function shortest(value: number): string {
  if (Math.fround(value) !== value || Number.isSafeInteger(value)) return String(value);
  // Nine significant digits distinguish any two float32 numbers.
  for (let digits = 1; digits < 9; ++digits) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}
