import { expect } from '@jest/globals';
import { checksOf, readProse, type Check } from './proseFiles.js';

/** The page's questions in English. */
export const checks = checksOf(readProse('en'));

/** The question in a figure’s caption. */
export function predictionOf(id: string): Check {
  const found = checks.find(({ figure }) => figure === id);
  if (found === undefined) throw new Error(`expected a question at ${id}`);
  return found;
}

/** The settings that the figure takes, as numbers. */
export function shownBy(id: string): Record<string, number> {
  return Object.fromEntries(Object.entries(predictionOf(id).show).map(([name, text]) => [name, Number(text)]));
}

/** Expects the answer at `place` to be the only ticked one. */
export function expectRight(check: Check | undefined, place: number): void {
  expect(check?.right).toEqual([place]);
  expect(check?.answers.length).toBeGreaterThan(place);
}
