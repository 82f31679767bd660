/** Downloads stay within size-budgets.json, and the command that checks them can fail. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT, output, read, run } from './support.js';

interface Part {
  file: string;
  beyond?: string;
  budget: number;
}
const { parts } = JSON.parse(read('size-budgets.json')) as { parts: Record<string, Part> };
const other = join(ROOT, 'build/results/other-budgets.json');

const measure = (changed: Record<string, Part>) => {
  writeFileSync(other, JSON.stringify({ parts: changed }));
  return run('node', ['scripts/size.mjs', other]);
};
/** The columns of the only part: as it is, gzip, brotli. */
const figures = (part: Part) => measure({ part }).stdout.split('\n')[1]!.slice(22).trim().split(/ +/).map(Number);

beforeAll(() => {
  output('bash', ['scripts/build.sh', 'package']);
  mkdirSync(join(ROOT, 'build/results'), { recursive: true });
}, 300_000);

it('is within every budget', () => {
  const { status, stdout } = run('node', ['scripts/size.mjs']);
  expect(stdout).not.toContain('OVER');
  expect(status).toBe(0);
});

it('counts the bytes of a file', () => {
  const wasm = readFileSync(join(ROOT, 'dist/wasm-attention.wasm'));
  const [bytes, gzip, brotli] = figures({ file: 'dist/wasm-attention.wasm', budget: 1e7 });
  expect([bytes, brotli]).toEqual([wasm.length, brotliCompressSync(wasm).length]);
  expect(gzip).toBeGreaterThan(brotli!);
});

it('counts a module with its static imports, except those loaded already', () => {
  const entry = parts['./slim']!.file;
  const [bytes] = figures({ file: entry, budget: 1e7 });
  // Without its imports the entry is a few lines.
  expect(bytes).toBeGreaterThan(50 * readFileSync(join(ROOT, entry)).length);
  expect(figures({ file: entry, beyond: entry, budget: 1e7 })[0]).toBe(0);
});

it('fails if a part is a byte over', () => {
  const { file } = parts['./slim']!;
  const size = figures({ file, budget: 1e7 })[2]!;
  expect(measure({ slim: { file, budget: size } }).status).toBe(0);
  const { status, stdout } = measure({ slim: { file, budget: size - 1 } });
  expect(stdout).toContain('OVER');
  expect(status).toBe(1);
});
