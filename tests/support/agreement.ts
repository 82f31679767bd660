/**
 * Records how closely results of the library agree with independent ones, and compares that with the table of the proof
 * page, which `npm run prove` writes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import type { Numbers } from '../reference/tensor.js';

const ROOT = join(import.meta.dirname, '../..');
const EPS = 2 ** -23;

/** What a row of the table is about. */
export interface Subject {
  readonly group: 'op' | 'layer' | 'model';
  readonly name: string;
}

export interface Agreement extends Subject {
  /** `float64` for the oracles in tests/reference, otherwise what computed a fixture, or its folder. */
  readonly reference: string;
  /** How many numbers were compared. */
  values: number;
  /** The largest difference, in units of EPS times the largest number of its array, or of EPS if that is below 1. */
  error: number;
}

const rows = new Map<string, Agreement>();
const keyOf = ({ group, name, reference }: Omit<Agreement, 'values' | 'error'>): string =>
  [group, name, reference].join();

/** The path of the running test file. */
const testFile = (): string => relative(ROOT, expect.getState().testPath!);

/** The op or layer that the running test file is about. */
function subject(): Subject | undefined {
  const [, folder, name] = /^tests\/(ops|layers)\/(\w+)[\w.]*\.test\.ts$/.exec(testFile()) ?? [];
  if (folder === 'layers' && /^[A-Z]/.test(name!)) return { group: 'layer', name: name! };
  if (folder === 'ops' && existsSync(join(ROOT, `web/lib/ops/${name}.ts`))) return { group: 'op', name: name! };
  return undefined;
}

/**
 * Notes how far a result of the library is from one that does not come from it.
 *
 * @param about by default what the test file is about
 * @param counts which elements are compared
 */
export function record(
  actual: Numbers,
  expected: Numbers,
  reference: string,
  about: Subject | undefined = subject(),
  counts: (i: number) => boolean = () => true,
): void {
  if (about === undefined) return;
  const row = rows.get(keyOf({ ...about, reference })) ?? { ...about, reference, values: 0, error: 0 };
  rows.set(keyOf(row), row);
  let [largest, worst] = [1, 0];
  for (let i = 0; i < expected.data.length; ++i) {
    const y = expected.data[i]!;
    if (!counts(i) || !Number.isFinite(y)) continue;
    largest = Math.max(largest, Math.abs(y));
    worst = Math.max(worst, Math.abs(actual.data[i]! - y));
    ++row.values;
  }
  row.error = Math.max(row.error, worst / (EPS * largest));
}

afterAll(() => {
  if (rows.size === 0) return;
  if (process.env.PROVE) {
    writeFileSync(
      join(process.env.PROVE, `${testFile().replaceAll('/', '-')}.json`),
      JSON.stringify([...rows.values()]),
    );
    return;
  }
  // Other cases and other instructions round differently.
  if (process.env.FC_SEED || process.env.RELAXED) return;
  const table = JSON.parse(readFileSync(join(ROOT, 'web/page/proof/agreement.json'), 'utf8')) as Agreement[];
  const promised = new Map(table.map((row) => [keyOf(row), row.error]));
  // A wasm of another compiler rounds a little differently; a fault is off by orders of magnitude.
  const worse = [...rows.values()].filter((row) => !(row.error <= 1.5 * promised.get(keyOf(row))! + 1));
  if (worse.length > 0) {
    throw new Error(
      `the proof page promises more; if these errors are right, run \`npm run prove\`: ${JSON.stringify(worse)}`,
    );
  }
});
