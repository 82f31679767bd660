// Runs all suites, also after a failure, and adds up the counts of their JSON results.
//   usage: node scripts/test.mjs [ci|node]      ci: the suites that are too slow for `npm test`
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

/**
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ name: string, passed: number, failed: number, note: string }} Outcome
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} command
 * @property {Record<string, string>} [env]
 * @property {string} [after]  The suite that has to pass before this one can run.
 * @property {boolean} [alone]  Whether it measures time, so that no other suite may run at the same time.
 * @property {(result: any) => Counts} [counts]  Reads the counts from the suite's results; without it, the suite counts
 *   as one test.
 */

/** @param {any} result */
const jest = (result) => ({
  passed: result.numPassedTests,
  // Files that fail to load and skipped tests count as failures.
  failed: result.numFailedTests + result.numRuntimeErrorTestSuites + result.numPendingTests + result.numTodoTests,
});
/** @param {any} result */
const googleTest = ({ tests, failures, errors, disabled }) => ({
  passed: tests - failures - errors - disabled,
  failed: failures + errors + disabled,
});
/** The suites that compute: the compiler, threads and relaxed SIMD affect no others. */
const KERNELS = 'scripts/jest.sh js tests/ops tests/layers tests/models tests/fuzz';
/** Only long suites look at the still figures, which take half a minute to draw. */
const WITHOUT_STILLS = { STILLS: 'kept' };

/** @type {Record<string, Suite[]>} */
const SUITES = {
  // First what others wait for and what takes longest: the browser's suite, which spends half of its time waiting for
  // pages.
  test: [
    { name: 'packages', command: 'scripts/setup.sh' },
    { name: 'wasm', command: 'scripts/build.sh wasm', after: 'packages' },
    { name: 'page', command: 'scripts/build.sh page', env: WITHOUT_STILLS, after: 'wasm' },
    {
      name: 'browser',
      command: 'scripts/jest.sh browser',
      env: WITHOUT_STILLS,
      after: 'page',
      counts: jest,
    },
    { name: 'native', command: 'scripts/test-native.sh', counts: googleTest },
    { name: 'js', command: 'scripts/jest.sh js', after: 'wasm', counts: jest },
    { name: 'lint', command: 'scripts/lint.sh', after: 'wasm', counts: (result) => result },
  ],
  // The suites that depend on the compiler, for systems with another one.
  node: [
    { name: 'packages', command: 'scripts/setup.sh' },
    { name: 'package', command: 'scripts/build.sh package', after: 'packages' },
    { name: 'kernels', command: KERNELS, after: 'package', counts: jest },
    {
      name: 'relaxed-threads',
      command: 'scripts/jest.sh js tests/layers',
      env: { RELAXED: '1', THREADS: '3' },
      after: 'package',
      counts: jest,
    },
  ],
  ci: [
    { name: 'packages', command: 'scripts/setup.sh' },
    { name: 'native-threads', command: 'scripts/test-native.sh --threads', counts: googleTest },
    { name: 'build', command: 'scripts/build.sh', after: 'packages' },
    { name: 'package', command: 'scripts/jest.sh package', after: 'build', counts: jest },
    // The quick suites run on the sources in `npm test`, and on the package below: with threads, and with relaxed SIMD.
    {
      name: 'long',
      command: 'scripts/jest.sh js /long/',
      env: { DIST: '1' },
      after: 'build',
      counts: jest,
    },
    // These wasms differ in how loops are shared, and in products.
    {
      name: 'threads',
      command: KERNELS,
      env: { THREADS: '3' },
      after: 'build',
      alone: true,
      counts: jest,
    },
    { name: 'matrix', command: 'scripts/jest.sh matrix', after: 'build', counts: jest },
    { name: 'browsers', command: 'scripts/jest.sh browsers', after: 'build', counts: jest },
    { name: 'relaxed', command: KERNELS, env: { RELAXED: '1' }, after: 'build', counts: jest },
    {
      name: 'relaxed-threads',
      command: 'scripts/jest.sh js tests/layers',
      env: { RELAXED: '1', THREADS: '3' },
      after: 'build',
      alone: true,
      counts: jest,
    },
    {
      name: 'browser-long',
      command: 'scripts/jest.sh browser /long/',
      env: { LONG: '1', FONTS: 'cjk' },
      after: 'build',
      alone: true,
      counts: jest,
    },
  ],
};

/**
 * Runs a suite and prints its output when it has ended. A suite that stops early or runs no test has failed.
 *
 * @param {Suite} suite
 * @returns {Promise<Outcome>}
 */
async function run({ name, command, env, counts }) {
  const results = `build/results/${name}.json`;
  const log = `build/logs/suite-${name}.log`;
  rmSync(results, { force: true });
  const output = openSync(log, 'w');
  const started = performance.now();
  const child = spawn('bash', command.split(' '), {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env, RESULTS: name },
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  closeSync(output);
  const note = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`\n── ${name}\n${readFileSync(log, 'utf8').trimEnd()}`);

  const { passed, failed } = counts ? readCounts(results, counts) : { passed: status === 0 ? 1 : 0, failed: 0 };
  return { name, passed, failed: failed === 0 && (status !== 0 || passed === 0) ? 1 : failed, note };
}

/** @param {string} file @param {(result: any) => Counts} counts */
function readCounts(file, counts) {
  try {
    return counts(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/**
 * Runs three suites at a time, because most leave a core idle now and then. Suites start in order, except those that
 * wait for another.
 *
 * @param {Suite[]} suites
 * @returns {Promise<Outcome[]>} in the order in which the suites ended
 */
async function runAll(suites) {
  const waiting = [...suites];
  /** @type {Map<Suite, Promise<void>>} */
  const running = new Map();
  /** @type {Outcome[]} */
  const outcomes = [];
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.find(({ after }) => !after || outcomes.some(({ name }) => name === after));
    const [beside] = running.keys();
    const room = beside === undefined || (running.size < 3 && !next?.alone && !beside.alone);
    if (next === undefined || !room) {
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    const broken = outcomes.find(({ name, failed }) => name === next.after && failed > 0);
    if (broken) {
      outcomes.push({ name: next.name, passed: 0, failed: 1, note: `not run: it needs ${broken.name}` });
      continue;
    }
    const ended = run(next).then((outcome) => {
      running.delete(next);
      outcomes.push(outcome);
    });
    running.set(next, ended);
  }
  return outcomes;
}

const suites = SUITES[process.argv[2] ?? 'test'];
if (!suites) throw new Error('usage: node scripts/test.mjs [ci|node]');
mkdirSync('build/results', { recursive: true });
mkdirSync('build/logs', { recursive: true });
const started = performance.now();
const outcomes = await runAll(suites);
console.log('');
for (const { name, passed, failed, note } of outcomes) {
  console.log(`${name.padEnd(15)} ${passed} passed, ${failed} failed (${note})`);
}
console.log(`all             ${((performance.now() - started) / 1000).toFixed(0)} s`);
const total = (/** @type {'passed' | 'failed'} */ key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 ? 0 : 1;
