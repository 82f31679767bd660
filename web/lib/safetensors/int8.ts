/**
 * Matrices in int8, as this library writes them and layers store them: `name` is I8 (rows, columns), and `name.scales`,
 * F32 (rows, ceil(columns / 128)), has the scale of each 128 columns of a row. A number is its scale times a whole
 * number within -63 … 63.
 */
import type { FileEntry } from './file.js';

/** The number of columns that share a scale, as in cpp/kernels/int8_product.h. */
export const COLUMNS = 128;

export const scalesName = (name: string) => `${name}.scales`;

/** The shape of the scales of a matrix. */
export const scalesShape = ([rows, columns]: readonly number[]): readonly [number, number] => [
  rows!,
  Math.ceil(columns! / COLUMNS),
];

export interface JoinedEntry extends FileEntry {
  readonly scales?: FileEntry;
}

/** Joins each matrix and its scales into one tensor. */
export function joinScales(entries: readonly FileEntry[]): JoinedEntry[] {
  const found = new Map<string, JoinedEntry>(entries.map((entry) => [entry.name, entry]));
  for (const entry of entries) {
    const { name, dtype, shape } = entry;
    const scales = found.get(scalesName(name));
    if (dtype !== 'I8' || shape.length !== 2 || scales?.dtype !== 'F32') continue;
    if (String(scales.shape) !== String(scalesShape(shape))) continue;
    found.set(name, { ...entry, scales });
    found.delete(scales.name);
  }
  return [...found.values()];
}
