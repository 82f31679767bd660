/** What readers download stays within size-budgets.json, and the command that says so can say otherwise. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, brotliCompressSync } from 'node:zlib';
import { ROOT, output, read, run } from './support.js';

interface Part {
  files: string[];
  budget: number;
  target?: number;
}
const { parts } = JSON.parse(read('size-budgets.json')) as { parts: Record<string, Part> };
const other = join(ROOT, 'build/results/other-budgets.json');

const measure = (changed: Record<string, Part>) => {
  writeFileSync(other, JSON.stringify({ parts: changed }));
  return run('node', ['scripts/size.mjs', other]);
};
/** The column of a part, from 0: as it is, gzip, brotli. */
const figures = (stdout: string, name: string) =>
  stdout
    .split('\n')
    .find((line) => line.startsWith(`${name} `))!
    .slice(22)
    .trim()
    .split(/ +/)
    .map(Number);

beforeAll(() => {
  output('bash', ['scripts/build.sh', 'elements']);
  mkdirSync(join(ROOT, 'build/results'), { recursive: true });
}, 300_000);

it('is within every budget', () => {
  const { status, stdout } = run('node', ['scripts/size.mjs']);
  expect(stdout).not.toContain('OVER');
  expect(status).toBe(0);
});

it('has a budget for the wasm and each entry, none below its target', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const entries = Object.keys(exports).filter((path) => !/[*]|json$|wasm$|-thread$/.test(path));
  expect(Object.keys(parts)).toEqual(expect.arrayContaining(['the wasm', ...entries]));
  for (const { budget, target = 0 } of Object.values(parts)) expect(budget).toBeGreaterThanOrEqual(target);
});

it('counts what a file holds, compressed so that it comes back', () => {
  const [bytes, gzip, brotli] = figures(run('node', ['scripts/size.mjs']).stdout, 'the wasm');
  const wasm = readFileSync(join(ROOT, 'dist/wasm-attention.wasm'));
  const compressed = brotliCompressSync(wasm);
  expect(brotliDecompressSync(compressed).equals(wasm)).toBe(true);
  expect([bytes, brotli]).toEqual([wasm.length, compressed.length]);
  expect(gzip).toBeGreaterThan(brotli!);
});

it('counts with a module what it imports at once', () => {
  const { stdout } = measure({ all: { files: ['dist/elements/index.js'], budget: 1e9 } });
  const [bytes] = figures(stdout, 'all');
  // Without the figures that it imports the entry is a list of names.
  expect(bytes).toBeGreaterThan(50 * readFileSync(join(ROOT, 'dist/elements/index.js')).length);
});

it('fails where a part is a byte over', () => {
  const { files } = parts['./slim']!;
  const size = figures(run('node', ['scripts/size.mjs']).stdout, './slim')[2]!;
  expect(measure({ slim: { files, budget: size } }).status).toBe(0);
  const { status, stdout } = measure({ slim: { files, budget: size - 1 } });
  expect(stdout).toContain('OVER');
  expect(status).toBe(1);
});
