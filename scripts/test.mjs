// Runs every suite, whatever the ones before it found, and counts from what they write for machines.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));
const RESULTS = 'build/results';

/**
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ name: string, passed: number, failed: number, note: string }} Outcome
 * @typedef {object} Suite
 * @property {string} name
 * @property {string[]} command
 * @property {string} [needs]  The suite without which this one cannot run.
 * @property {(result: any) => Counts} [counts]  Reads what the suite wrote; without it the suite is one check.
 */

/** @param {any} result */
const jestCounts = (result) => ({
  passed: result.numPassedTests,
  // A file that does not load has run no test; a test that is skipped tests nothing.
  failed:
    result.numFailedTests + result.numRuntimeErrorTestSuites + result.numPendingTests + result.numTodoTests,
});

/** @type {Suite[]} */
const SUITES = [
  { name: 'library', command: ['scripts/build.sh', 'library'] },
  { name: 'page', command: ['scripts/build.sh', 'page'], needs: 'library' },
  { name: 'lint', command: ['scripts/lint.sh'], counts: (result) => result },
  {
    name: 'native',
    command: ['scripts/test-native.sh'],
    counts: ({ tests, failures, errors, disabled }) => ({
      passed: tests - failures - errors - disabled,
      failed: failures + errors + disabled,
    }),
  },
  { name: 'js', command: ['scripts/jest.sh', 'js'], needs: 'library', counts: jestCounts },
  { name: 'browser', command: ['scripts/jest.sh', 'browser'], needs: 'page', counts: jestCounts },
];

/**
 * Runs a suite in this terminal; one that stops early, or runs nothing, has failed.
 *
 * @param {Suite} suite
 * @returns {Outcome}
 */
function run({ name, command, counts }) {
  const file = `${RESULTS}/${name}.json`;
  rmSync(file, { force: true });
  console.log(`\n── ${name}`);
  const started = performance.now();
  const { status } = spawnSync('bash', command, { stdio: 'inherit' });
  const note = `${((performance.now() - started) / 1000).toFixed(1)} s`;

  let { passed, failed } = counts ? readCounts(file, counts) : { passed: status === 0 ? 1 : 0, failed: 0 };
  if (failed === 0 && (status !== 0 || passed === 0)) failed = 1;
  return { name, passed, failed, note };
}

/** @param {string} file @param {(result: any) => Counts} counts */
function readCounts(file, counts) {
  try {
    return counts(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 1 };
  }
}

mkdirSync(RESULTS, { recursive: true });
/** @type {Outcome[]} */
const outcomes = [];
for (const suite of SUITES) {
  const broken = outcomes.find(({ name, failed }) => name === suite.needs && failed > 0);
  outcomes.push(
    broken
      ? { name: suite.name, passed: 0, failed: 1, note: `not run: it needs ${broken.name}` }
      : run(suite),
  );
}
console.log('');
for (const { name, passed, failed, note } of outcomes) {
  console.log(`${name.padEnd(8)} ${passed} passed, ${failed} failed (${note})`);
}
const total = (/** @type {'passed' | 'failed'} */ key) =>
  outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 ? 0 : 1;
