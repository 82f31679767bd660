import { output, run } from '../support.js';
import { bun, deno, useConsumer } from './support.js';

const consumer = useConsumer();

const RUNTIMES: Record<string, () => readonly [string, ...string[]]> = {
  node: () => ['node'],
  'node --permission': () => ['node', '--experimental-permission', '--allow-fs-read=*', '--allow-worker'],
  deno: () => [deno(), 'run', '--no-prompt', '--allow-read', '--node-modules-dir=manual'],
  bun: () => [bun()],
};

it.each(Object.keys(RUNTIMES))('all entries run in %s, and the process ends by itself', (runtime) => {
  consumer.prepare();
  const [command, ...options] = RUNTIMES[runtime]!();
  const printed = output(command, [...options, 'main.mjs'], { cwd: consumer.path });
  expect(printed).toBe('Checked: library, models, slim, worker, threads.\n');
});

describe('require', () => {
  const code = "const { load } = require('wasm-attention'); load().then((a) => console.log(typeof a.conv1d));";

  it('returns the module if Node can require ES modules, and otherwise names the reason', () => {
    const file = consumer.write('app.cjs', code);
    const { stdout, stderr, status } = run('node', [file], { cwd: consumer.path });
    // The test's own process object is not all of Node's.
    const requires = output('node', ['--print', 'process.features.require_module === true']) === 'true\n';
    if (requires) expect({ stdout, status }).toEqual({ stdout: 'function\n', status: 0 });
    else expect(stderr).toMatch(/ERR_REQUIRE_ESM/);
    if (!requires) return;
    const without = run('node', ['--no-experimental-require-module', file], { cwd: consumer.path });
    expect(without.stderr).toMatch(/ERR_REQUIRE_ESM/);
  });

  it('can be replaced by import() in every Node', () => {
    const file = consumer.write(
      'app.cjs',
      "import('wasm-attention').then(({ load }) => load()).then((a) => console.log(typeof a.conv1d));",
    );
    expect(output('node', [file], { cwd: consumer.path })).toBe('function\n');
  });
});
