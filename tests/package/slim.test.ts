/** The slim entry's files: what is in which, and what happens where one is missing. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, evaluate, read, run, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const file = (name: string): string => join(folder.path, name);

beforeAll(() => {
  writeFileSync(file('package.json'), '{ "type": "module" }');
  for (const name of ['slim.js', 'wasm-attention.wasm']) copyFileSync(join(ROOT, 'dist', name), file(name));
});
afterAll(() => {
  folder.remove();
});

describe('the first file', () => {
  const names = (path: string): string[] =>
    ['stateDict', 'packWeight', 'createCache', 'maxGradNorm'].filter((name) => read(path).includes(name));

  it('has nothing of the layers', () => {
    expect(names('dist/slim.js')).toEqual([]);
    expect(names('dist/layers.js')).toHaveLength(4);
  });

  it('has nothing of gradients', () => {
    expect(read('dist/slim.js')).not.toMatch(/Backward|ignoreIndex/);
    expect(read('dist/layers.js')).toMatch(/Backward[^]*ignoreIndex|ignoreIndex[^]*Backward/);
  });

  it('imports the layers later, in the words that bundlers know', () => {
    expect(read('dist/slim.js')).toContain("import('./layers.js')");
    expect(read('dist/slim.js')).not.toMatch(/\bfrom\s*["'`]/);
  });

  it('has what both need, and layers.js nothing of it', () => {
    expect(read('dist/layers.js')).toMatch(/^import\{[^}]+\}from"\.\/slim\.js";/);
    expect(read('dist/layers.js')).not.toContain('to be a finite number');
  });
});

test('a file that is loaded under another address computes with what layers.js loads under its own', () => {
  const code = `
    const x = { data: Float32Array.from({ length: 2 * 9 * 8 }, (_, i) => Math.sin(i * i)), shape: [2, 9, 8] };
    const computed = [];
    for (const entry of ['slim.js', 'slim.js?v=2', 'index.js']) {
      const { load } = await import('${join(ROOT, 'dist')}/' + entry);
      const attention = await load();
      const layer = new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2, seed: 1 });
      const { output, backward } = layer.forward(x, x, x, { training: true });
      const results = [output, Object.values(backward(x))[0], attention.scaledDotProductAttentionBackward(x, x, x, x).key, attention.rnn(x, { weightIh: [Array(8).fill(0.5)], weightHh: [[0.25]] }).output];
      computed.push(results.map(({ data }) => Array.from(data).join()));
    }
    console.log(JSON.stringify(computed));
  `;
  const [plain, queried, whole] = evaluate(code) as string[][];
  expect(queried).toEqual(plain);
  expect(whole).toEqual(plain);
  expect(new Set(plain).size).toBe(4);
});

describe('without layers.js', () => {
  const code = `
    import { copyFileSync } from 'node:fs';
    import { load } from './slim.js';
    const said = [];
    const hear = (loading) => loading.then((a) => said.push(typeof a.Linear), (e) => said.push(e.name + ' ' + e.message, typeof e.cause.message));
    await hear(load({ layers: false }));
    await hear(load());
    await hear(load());
    copyFileSync('${join(ROOT, 'dist/layers.js')}', './layers.js');
    await hear(load());
    console.log(JSON.stringify(said));
  `;

  it('gives the operations alone, says of the rest what is missing, and gives it once it is there', () => {
    const said = evaluate(code, { cwd: folder.path }) as unknown[];
    const [alone, first, cause, again, , whole] = said;
    expect([alone, cause, whole]).toEqual(['undefined', 'string', 'function']);
    for (const failure of [first, again]) {
      expect(failure).toMatch(/^RangeError load: expected the file of the layers, got .*layers\.js/);
    }
  });
});

describe('the declarations of the slim entry', () => {
  const compile = (source: string): string => {
    const consumer = join(folder.path, 'consumer');
    mkdirSync(consumer, { recursive: true });
    writeFileSync(join(consumer, 'consumer.mts'), source);
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, target: 'es2022', lib: ['es2022', 'dom'] },
      ...{ module: 'esnext', moduleResolution: 'bundler', types: [], noEmit: true, skipLibCheck: true },
      paths: { 'wasm-attention/slim': [join(ROOT, 'dist/slim.d.ts')] },
    };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
    return run('node', [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: consumer }).stdout;
  };
  const program = (more: string): string => `
    import { load, type LoadOptions, type Operations, type SlimLoadOptions, type WasmAttention } from 'wasm-attention/slim';
    declare const [some, either]: [LoadOptions, SlimLoadOptions];
    const alone: Operations = await load({ layers: false, threads: 1 });
    const [all, yes, same]: WasmAttention[] = [await load(), await load({ layers: true }), await load(some)];
    const least: Operations = await load(either);
    alone.matmul([[1]], [[1]]);
    ${more}
    export { alone, all, yes, same, least };
  `;

  it('give the layers unless they were refused, or may have been', () => {
    expect(compile(program(''))).toBe('');
    for (const [wrong, error] of [
      ['new alone.Linear({ inFeatures: 1, outFeatures: 1 });', 'TS2339'],
      ['new least.Adam([]);', 'TS2339'],
      ['alone.relativeShiftBackward([[1]]);', 'TS2339|TS2551'],
      ['const whole: WasmAttention = await load({ layers: false });', 'TS2739|TS2740'],
      ["await load({ layers: 'no' });", 'TS2769'],
    ] as const) {
      expect(compile(program(wrong)).match(/error TS\d+/g)).toEqual([
        expect.stringMatching(new RegExp(`^error (${error})$`)),
      ]);
    }
  }, 120_000);
});
