/** A figure's code and numbers. */
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { codeOf, csvOf } from './shown.js';

/** The spacing of float32 numbers just below 1. */
export const EPS = 2 ** -24;

export type Settings = Readonly<Record<string, unknown>>;
export type Rows = readonly (readonly number[])[];
export interface Given {
  readonly javascript: string;
  readonly pytorch: string;
  /** The rows of the figure's file, as numbers. */
  readonly rows: Rows;
}

/** A figure's code and numbers with each of these settings, one after another. */
export async function given(figure: Locator, all: readonly Settings[]): Promise<Given[]> {
  const found: Given[] = [];
  for (const settings of all) {
    await figure.evaluate((element, change) => {
      const changing = element as HTMLElement & { reset(): void; change(settings: unknown): void };
      changing.reset();
      changing.change(change);
    }, settings);
    const code = await codeOf(figure);
    const { rows } = await csvOf(figure);
    found.push({ ...code, rows: rows.map((row) => row.map(Number)) });
  }
  return found;
}

export function expectNear(found: readonly number[], wanted: readonly number[], tolerance: number): void {
  expect(found.length).toBe(wanted.length);
  expect(found.length).toBeGreaterThan(0);
  found.forEach((value, i) => expect(Math.abs(value - (wanted[i] ?? NaN))).toBeLessThanOrEqual(tolerance));
}

/** All columns of the rows from `column` on, row by row. */
export const from = (rows: Rows, column: number): number[] => rows.flatMap((row) => row.slice(column));
