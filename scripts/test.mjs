// Runs every suite, whatever the ones before it found, and counts from what they write for machines.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));
const RESULTS = 'build/results';

/**
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ name: string, command: string[], counts?: (result: any) => Counts }} Suite  Without `counts` it is one check.
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
  { name: 'page', command: ['scripts/build.sh', 'page'] },
  { name: 'lint', command: ['scripts/lint.sh'], counts: (result) => result },
  {
    name: 'native',
    command: ['scripts/test-native.sh'],
    counts: ({ tests, failures, errors, disabled }) => ({
      passed: tests - failures - errors - disabled,
      failed: failures + errors + disabled,
    }),
  },
  { name: 'js', command: ['scripts/jest.sh', 'js'], counts: jestCounts },
  { name: 'browser', command: ['scripts/jest.sh', 'browser'], counts: jestCounts },
];

/** Runs a suite in this terminal; one that stops early, or runs nothing, has failed. @param {Suite} suite */
function run({ name, command, counts }) {
  const file = `${RESULTS}/${name}.json`;
  rmSync(file, { force: true });
  console.log(`\n── ${name}`);
  const started = performance.now();
  const { status } = spawnSync('bash', command, { stdio: 'inherit' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);

  let { passed, failed } = counts ? readCounts(file, counts) : { passed: status === 0 ? 1 : 0, failed: 0 };
  if (failed === 0 && (status !== 0 || passed === 0)) failed = 1;
  return { name, passed, failed, seconds };
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
const results = SUITES.map(run);
console.log('');
for (const { name, passed, failed, seconds } of results) {
  console.log(`${name.padEnd(8)} ${passed} passed, ${failed} failed (${seconds} s)`);
}
const total = (/** @type {'passed' | 'failed'} */ key) =>
  results.reduce((sum, result) => sum + result[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 ? 0 : 1;
