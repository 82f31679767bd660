/** The package in the tests of projects that use Vitest, in each of its environments. */
import { join } from 'node:path';
import { run } from '../support.js';
import { TOOLS, useConsumer } from './support.js';

const consumer = useConsumer();

beforeAll(() => {
  consumer.link(TOOLS, 'vitest', 'jsdom', 'happy-dom');
  consumer.prepare('vitest');
});

it.each([
  ['node', 3],
  ['jsdom', 5],
  ['happy-dom', 5],
])('Vitest with %s computes, opens a model, and draws figures if it has a DOM', (environment, tests) => {
  consumer.prepare(`vitest-${environment}`);
  const { stdout, stderr } = run('node', [join(TOOLS, 'vitest/vitest.mjs'), 'run', '--reporter=json'], {
    cwd: consumer.path,
  });
  const { success, numPassedTests } = JSON.parse(stdout) as { success: boolean; numPassedTests: number };
  expect({ success, numPassedTests, stderr: success ? '' : stderr }).toEqual({
    success: true,
    numPassedTests: tests,
    stderr: '',
  });
});
