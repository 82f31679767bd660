// Writes web/page/proof/agreement.json, the proof page's table of what the library agrees with, and how closely: runs
// the suites that compare it with independent results, and gathers what they record (tests/support/agreement.ts).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @typedef {{ group: string, name: string, reference: string, values: number, error: number }} Row */

const PROVE = mkdtempSync(join(tmpdir(), 'prove-'));
const suites = ['ops', 'layers', 'models'].map((folder) => `tests/${folder}/`);
const env = { ...process.env, PROVE, RESULTS: 'prove', LONG: '', FC_SEED: '' };
const { status } = spawnSync('bash', ['scripts/jest.sh', 'js', ...suites], { stdio: 'inherit', env });

/** @type {Map<string, Row>} */
const rows = new Map();
for (const file of readdirSync(PROVE)) {
  for (const row of /** @type {Row[]} */ (JSON.parse(readFileSync(join(PROVE, file), 'utf8')))) {
    const key = [['op', 'layer', 'model'].indexOf(row.group), row.name, row.reference].join();
    const before = rows.get(key) ?? { ...row, values: 0, error: 0 };
    rows.set(key, { ...before, values: before.values + row.values, error: Math.max(before.error, row.error) });
  }
}
rmSync(PROVE, { recursive: true });

/**
 * Two digits, rounded up.
 *
 * @param {number} error
 */
const written = (error) => {
  const unit = 10 ** (Math.floor(Math.log10(error || 1)) - 1);
  return Number((Math.ceil(error / unit) * unit).toPrecision(2));
};
const lines = [...rows].sort().map(([, row]) => JSON.stringify({ ...row, error: written(row.error) }));
writeFileSync('web/page/proof/agreement.json', `[\n${lines.join(',\n')}\n]\n`);
process.exitCode = status ?? 1;
