/** What readers download stays within size-budgets.json, and the command that says so can say otherwise. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, brotliCompressSync } from 'node:zlib';
import { ROOT, evaluate, output, read, run, temporaryFolder } from './support.js';

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

it('counts with ./models all that a Llama and a GPT-2 load when they are opened', () => {
  const { path, remove } = temporaryFolder();
  try {
    writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
    for (const file of ['index.js', 'models.js']) cpSync(join(ROOT, 'dist', file), join(path, file));
    const code = `
      import { readFileSync } from 'node:fs';
      import { openModel } from './models.js';
      const open = async (name) => {
        const read = (file) => readFileSync('${ROOT}/tests/fixtures/' + name + file);
        const options = { config: JSON.parse(read('/config.json')), weights: read('/model.safetensors') };
        return openModel(options).then((model) => model.forward([1, 2]).logits.shape[1], String);
      };
      const names = ['stories260K', 'models/llama-grouped', 'models/gpt2', 'models/gpt-neox', 'models/bert-padded'];
      console.log(JSON.stringify(await Promise.all(names.map(open))));
    `;
    const [llama, grouped, gpt2, neox, bert] = evaluate(code, { cwd: path }) as unknown[];
    expect([llama, grouped, gpt2, neox]).toEqual([2, 2, 2, 2]);
    // What others need is not there, so the four above did without it.
    expect(bert).toMatch(/^RangeError: openModel: expected the library's file, got .*models-encoders\.js/);
  } finally {
    remove();
  }
});
