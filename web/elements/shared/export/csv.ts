import type { FigureData } from '../figure/figure-data.js';
import { shortest } from '../numbers.js';

/**
 * A figure's numbers as CSV (RFC 4180): CRLF lines, a header in the page's language, decimal points. Numbers are
 * written with as many digits as reading back the same float32, or else the same float64, needs.
 */
export function csvOf({ columns, rows }: FigureData): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  const text = typeof value === 'number' ? shortest(value) : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
