/** The package in the tests of projects that use Vitest, in each of its environments. */
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../support.js';
import { HOSTS, TOOLS, useConsumer } from './support.js';

const consumer = useConsumer();

beforeAll(() => {
  for (const tool of ['vitest', 'jsdom', 'happy-dom'])
    symlinkSync(join(TOOLS, tool), join(consumer.path, 'node_modules', tool));
  cpSync(join(HOSTS, 'vitest'), consumer.path, { recursive: true });
  cpSync(join(ROOT, 'tests/fixtures/stories260K'), join(consumer.path, 'stories260K'), { recursive: true });
});

it.each([
  ['node', 3],
  ['jsdom', 5],
  ['happy-dom', 5],
])('Vitest with %s computes, opens a model, and draws figures if it has a DOM', (environment, tests) => {
  cpSync(join(HOSTS, `vitest-${environment}`), consumer.path, { recursive: true });
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
