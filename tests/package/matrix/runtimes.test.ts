import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { output, run } from '../support.js';
import { ENTRIES, TOOLS, expectResult, program, useConsumer } from './support.js';

const consumer = useConsumer();

/** The executable of a tool with a package per platform, which its installer only links. */
function binary(names: readonly string[]): string {
  const found = names.map((name) => join(TOOLS, name)).find((file) => spawnSync(file, ['--version']).status === 0);
  if (!found) throw new Error(`none of ${names.join(', ')} runs here`);
  return found;
}
const deno = (): string =>
  binary([
    '@deno/linux-x64-glibc/deno',
    '@deno/linux-arm64-glibc/deno',
    '@deno/darwin-arm64/deno',
    '@deno/darwin-x64/deno',
  ]);
const bun = (): string =>
  binary([
    '@oven/bun-linux-x64/bin/bun',
    '@oven/bun-linux-aarch64/bin/bun',
    '@oven/bun-darwin-aarch64/bin/bun',
    '@oven/bun-darwin-x64/bin/bun',
  ]);

/** These two wait for idle workers. */
const END = 'attention.dispose?.();';

describe.each(ENTRIES)('%s', (entry) => {
  it('runs in Node, and the process ends by itself', () => {
    const file = consumer.write('app.mjs', program(entry));
    expectResult(output('node', [file], { cwd: consumer.path }));
  });

  it('runs in Deno, which is allowed to read', () => {
    const file = consumer.write('app.mjs', program(entry, END));
    expectResult(
      output(deno(), ['run', '--no-prompt', '--allow-read', '--node-modules-dir=manual', file], { cwd: consumer.path }),
    );
  });

  it('runs in Bun', () => {
    const file = consumer.write('app.mjs', program(entry, END));
    expectResult(output(bun(), [file], { cwd: consumer.path }));
  });
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
