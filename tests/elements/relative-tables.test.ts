import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { relativeCode } from '../../web/elements/relative-tables/code.js';
import {
  FARTHEST,
  learn,
  RATE,
  rowsOf,
  STEPS,
  TOKENS,
  type RelativeTask,
} from '../../web/elements/relative-tables/learning.js';
import { barsOf } from '../../web/elements/shared/plot/offset-bars.js';
import { t5RelativeBuckets } from '../reference/t5RelativeBuckets.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const tasks = fc.record({
  kind: fc.constantFrom('shaw' as const, 't5' as const),
  clip: fc.integer({ min: 1, max: FARTHEST }),
  buckets: fc.integer({ min: 2, max: 16 }).map((half) => 2 * half),
  target: fc.integer({ min: -FARTHEST, max: FARTHEST }),
});

/** The same learning in float64, with plain loops. */
function learnPlainly(rows: readonly number[], size: number, target: number): { table: number[]; hit: number } {
  const table = new Array<number>(size).fill(0);
  const queries = Array.from({ length: TOKENS }, (_, i) => i).filter((i) => i + target >= 0 && i + target < TOKENS);
  const rowOf = (i: number, j: number): number => rows[j - i + TOKENS - 1]!;
  const weightsOf = (i: number): number[] => {
    const powers = Array.from({ length: TOKENS }, (_, j) => Math.exp(table[rowOf(i, j)]!));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / total);
  };
  for (let step = 0; step < STEPS; ++step) {
    const gradient = new Array<number>(size).fill(0);
    for (const i of queries) {
      weightsOf(i).forEach((weight, j) => {
        gradient[rowOf(i, j)]! += (weight - (j === i + target ? 1 : 0)) / queries.length;
      });
    }
    gradient.forEach((slope, row) => (table[row]! -= RATE * slope));
  }
  const hit = queries.reduce((sum, i) => sum + weightsOf(i)[i + target]! / queries.length, 0);
  return { table, hit };
}

describe('the learned table', () => {
  test('agrees with gradient descent in float64', () => {
    fc.assert(
      fc.property(tasks, (task) => {
        const rows = rowsOf(attention, task);
        const { table, hit, weights } = learn(attention, task);
        const exact = learnPlainly(rows, table.length, task.target);
        // Forty steps of size two, each off by some float32 roundings of numbers up to ten.
        const tolerance = STEPS * RATE * 16 * 2 ** -24 * 10;
        table.forEach((value, row) => expect(Math.abs(value - exact.table[row]!)).toBeLessThan(tolerance));
        expect(Math.abs(hit - exact.hit)).toBeLessThan(tolerance);
        for (let i = 0; i < TOKENS; ++i) {
          const sum = weights.subarray(i * TOKENS, (i + 1) * TOKENS).reduce((a, b) => a + b, 0);
          expect(Math.abs(sum - 1)).toBeLessThan(TOKENS * 2 ** -23);
        }
      }),
      { numRuns: 25 },
    );
  });
  test('has the rows of Shaw’s clipping and of T5’s buckets', () => {
    const task: RelativeTask = { kind: 'shaw', clip: 3, buckets: 8, target: 0 };
    expect(rowsOf(attention, task).slice(TOKENS - 6, TOKENS + 5)).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6]);
    const buckets = t5RelativeBuckets({ queryLength: TOKENS, numBuckets: 8, maxDistance: TOKENS });
    const rows = rowsOf(attention, { ...task, kind: 't5' });
    for (let j = 0; j < TOKENS; ++j) expect(rows[j + TOKENS - 1]).toBe(buckets[j]);
  });
  test('finds an offset inside the clip distance, and cannot distinguish those beyond it', () => {
    const task = { kind: 'shaw', clip: 4, buckets: 16 } as const;
    expect(learn(attention, { ...task, target: -3 }).hit).toBeGreaterThan(0.95);
    expect(learn(attention, { ...task, target: -8 }).hit).toBeLessThan(0.3);
  });
});

test('bars cover every offset once, neighbours of one row together', () => {
  fc.assert(
    fc.property(tasks, (task) => {
      const rows = rowsOf(attention, task);
      const bars = barsOf(rows, rows, 1 - TOKENS);
      expect(bars[0]!.first).toBe(1 - TOKENS);
      expect(bars.at(-1)!.last).toBe(TOKENS - 1);
      bars.forEach((bar, k) => {
        if (k > 0) expect(bar.first).toBe(bars[k - 1]!.last + 1);
        const covered = rows.slice(bar.first + TOKENS - 1, bar.last + TOKENS);
        expect(new Set(covered)).toEqual(new Set([bar.row]));
      });
    }),
  );
});

test.each(['shaw', 't5'] as const)('the code for %s prints the same table', async (kind) => {
  const task: RelativeTask = { kind, clip: 3, buckets: 8, target: 2 };
  const { table, hit } = learn(attention, task);
  const lines = await runModule(relativeCode(task).javascript);
  expect(lines[0]!.split(' ').map(Number)).toEqual([...table]);
  expect(Number(lines[1])).toBe(hit);
});
