import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, evaluate, installInto, output, run, temporaryFolder } from './support.js';

const folder = temporaryFolder();
let files: string[];

beforeAll(() => {
  files = installInto(folder.path);
}, 60_000);
afterAll(() => {
  folder.remove();
});

const ENTRIES = ['wasm-attention', 'wasm-attention/slim'];

describe('the packed package', () => {
  it('contains the build, its declarations and the documents, nothing else', () => {
    const papers = files.filter((file) => !file.startsWith('dist/'));
    expect(papers).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const code = files.filter((file) => file.startsWith('dist/') && !file.endsWith('.d.ts'));
    const named = [
      ...['index', 'slim', 'safetensors', 'models', 'worker', 'worker-thread', 'thread'].map((name) => `${name}.js`),
      ...['', '-relaxed', '-threads', '-threads-relaxed'].map((kind) => `wasm-attention${kind}.wasm`),
      ...['index', 'auto', 'anywidget', 'training-worker', 'complexity-race-worker'].map(
        (name) => `elements/${name}.js`,
      ),
    ];
    expect(code).toEqual(expect.arrayContaining(named.map((file) => `dist/${file}`)));
    for (const file of code) expect(file).toMatch(/\.(js|wasm)$|licenses\.md$/);
    expect(code).toEqual(expect.arrayContaining(['dist/licenses.md', 'dist/elements/anywidget.licenses.md']));
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/index.d.ts',
        'dist/slim.d.ts',
        'dist/safetensors.d.ts',
        'dist/models.d.ts',
        'dist/elements/index.d.ts',
      ]),
    );
  });

  it('names the files that it loads in the form that bundlers recognise, each in one entry', () => {
    const named = files
      .filter((file) => /^dist\/.*(?<!anywidget)\.js$/.test(file))
      .flatMap((file) => {
        const code = readFileSync(join(folder.path, 'node_modules/wasm-attention', file), 'utf8');
        const found = code.match(/(new Worker\()?new URL\("[^)]*\)(,\{[^)]*\))?/g) ?? [];
        return found.filter((text) => text.includes('import.meta.url')).map((text) => `${file}: ${text}`);
      });
    expect(named.sort()).toEqual([
      expect.stringMatching(
        /^dist\/elements\/.*: new Worker\(new URL\("\.\/complexity-race-worker\.js",.*"module"\}\)$/,
      ),
      expect.stringMatching(/^dist\/elements\/.*: new Worker\(new URL\("\.\/training-worker\.js",.*"module"\}\)$/),
      'dist/index.js: new URL("./wasm-attention-threads.wasm",import.meta.url)',
      'dist/slim.js: new URL("./wasm-attention-relaxed.wasm",import.meta.url)',
      'dist/slim.js: new URL("./wasm-attention-threads-relaxed.wasm",import.meta.url)',
      'dist/slim.js: new URL("./wasm-attention-threads.wasm",import.meta.url)',
      'dist/slim.js: new URL("./wasm-attention.wasm",import.meta.url)',
      'dist/threads.js: new Worker(new URL("./thread.js",import.meta.url),{type:"module"})',
      'dist/worker.js: new Worker(new URL("./worker-thread.js",import.meta.url),{type:"module"})',
    ]);
  });

  it.each(ENTRIES)('computes when %s is imported in an empty folder', (entry) => {
    const code = `
      import { load } from '${entry}';
      const attention = await load();
      // The textbook case: all keys are equal, so the weights are uniform over the valid ones.
      const ones = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b)).fill(1), shape });
      const options = { validLens: [3, 2], needWeights: true };
      const { weights } = attention.scaledDotProductAttention(ones(2, 1, 4), ones(2, 4, 4), ones(2, 4, 4), options);
      console.log(JSON.stringify({ version: attention.version, weights: Array.from(weights.data) }));
    `;
    const third = Math.fround(1 / 3);
    const { version } = JSON.parse(output('cat', ['package.json'])) as { version: string };
    expect(evaluate(code, { cwd: folder.path })).toEqual({
      version,
      weights: [third, third, third, 0, 0.5, 0.5, 0, 0],
    });
  });

  it.each(ENTRIES)('prints a few lines for an uncaught error of %s', (entry) => {
    const uncaught = {
      'RangeError: maskedSoftmax: expected scores of rank 2, 3 or 4, got shape (2,)': 'a.maskedSoftmax([1, 2])',
      'RangeError: Linear: expected 1125899906842624 free bytes, got out of memory':
        'new a.Linear({ inFeatures: 2 ** 24, outFeatures: 2 ** 24 })',
      "TypeError: conv1d: expected known options (the nearest is stride), got 'stridestride":
        "a.conv1d([], [], { ['stride'.repeat(1e5)]: 1 })",
      'TypeError: Linear: expected a layer in use, got a disposed one':
        'const layer = new a.Linear({ inFeatures: 1, outFeatures: 1 }); layer.dispose(); layer.stateDict()',
      "TypeError: load: expected known options (the nearest is threads), got 'thread'": 'await load({ thread: 2 })',
    };
    for (const [message, mistake] of Object.entries(uncaught)) {
      const code = `import { load } from '${entry}'; const a = await load(); ${mistake}`;
      const { status, stderr } = run('node', ['--input-type=module', '--eval', code], { cwd: folder.path });
      expect(status).toBe(1);
      expect(stderr).toContain(message);
      // Node prints the line that the error comes from. A screen is 24 lines of 80 characters.
      expect(stderr.length).toBeLessThan(24 * 80);
      expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(600);
    }
  });

  it.each(ENTRIES)('does no work and defines no global when %s is imported', (entry) => {
    const code = `
      const calls = [];
      for (const owner of [WebAssembly, globalThis]) {
        for (const name of ['compile', 'instantiate', 'validate', 'Module', 'Instance', 'Memory', 'fetch', 'atob']) {
          const original = owner[name];
          if (!original) continue;
          owner[name] = function (...args) {
            calls.push(name);
            return new.target ? Reflect.construct(original, args) : original.apply(this, args);
          };
          Object.setPrototypeOf(owner[name], original);
        }
      }
      const globals = Reflect.ownKeys(globalThis).length;
      const { load } = await import('${entry}');
      const atImport = calls.length + Reflect.ownKeys(globalThis).length - globals;
      await load();
      console.log(JSON.stringify({ atImport, atLoad: calls.length > atImport }));
    `;
    expect(evaluate(code, { cwd: folder.path })).toEqual({ atImport: 0, atLoad: true });
  });

  it.each([
    [
      'an engine that decodes hexadecimal text',
      "Uint8Array.fromHex = (text) => new Uint8Array(Buffer.from(text, 'hex'));",
    ],
    ['a page of an older one', 'delete globalThis.Buffer; delete Uint8Array.fromHex;'],
  ])('decodes the embedded wasm in %s', (_engine, prelude) => {
    const code = `
      ${prelude}
      const { load } = await import('wasm-attention');
      const attention = await load();
      console.log(JSON.stringify(Array.from(attention.maskedSoftmax([[[7, 7]]]).data)));
    `;
    expect(evaluate(code, { cwd: folder.path })).toEqual([0.5, 0.5]);
  });

  it.each([
    ['wasm-attention', ['load', 'readSafetensors', 'writeSafetensors']],
    ['wasm-attention/slim', ['load']],
    ['wasm-attention/models', ['drift', 'openModel', 'pixelsOf', 'readCheckpoint']],
    ['wasm-attention/safetensors', ['readSafetensors', 'writeSafetensors']],
    ['wasm-attention/worker', ['loadWorker']],
  ])('%s exports what the guides name, and nothing else', (entry, names) => {
    const code = `console.log(JSON.stringify(Object.keys(await import('${entry}')).sort()))`;
    expect(evaluate(code, { cwd: folder.path })).toEqual(names);
  });

  it('exports the wasm under its own name, which load accepts', () => {
    const code = `
      import { load } from 'wasm-attention';
      const attention = await load({ wasm: new URL(import.meta.resolve('wasm-attention/wasm-attention.wasm')) });
      console.log(JSON.stringify(Array.from(attention.maskedSoftmax([[[7]]]).data)));
    `;
    expect(evaluate(code, { cwd: folder.path })).toEqual([1]);
  });
});

describe('a bundler', () => {
  /**
   * Vite's output for a program that imports the entry: its wasms' bytes, and whether one is in the code.
   */
  const bundle = (entry: string) => {
    writeFileSync(join(folder.path, 'app.js'), `import { load } from '${entry}'; load().then(console.log);`);
    const code = `
      import { build } from '${join(ROOT, 'node_modules/vite/dist/node/index.js')}';
      const { output } = await build({
        root: '${folder.path}', configFile: false, logLevel: 'silent',
        build: { write: false, rolldownOptions: { input: '${folder.path}/app.js' } },
      });
      const assets = output.filter(({ type }) => type === 'asset');
      const chunks = output.filter(({ type }) => type === 'chunk');
      console.log(JSON.stringify({
        wasm: assets.filter(({ fileName }) => fileName.endsWith('.wasm')).map(({ source }) => source.length).sort(),
        inline: chunks.some(({ code }) => code.includes('0061736d01')),
      }));
    `;
    return evaluate(code);
  };
  const sizes = (name = /\.wasm$/) =>
    readdirSync(join(ROOT, 'dist'))
      .filter((file) => name.test(file))
      .map((name) => statSync(join(ROOT, 'dist', name)).size)
      .sort();

  it('finds only the wasm for threads beside the entry with the embedded wasm', () => {
    expect(bundle('wasm-attention')).toEqual({ wasm: sizes(/-threads\.wasm$/), inline: true });
  });

  it('finds every wasm of the slim entry, once', () => {
    expect(sizes()).toHaveLength(4);
    expect(bundle('wasm-attention/slim')).toEqual({ wasm: sizes(), inline: false });
  });
});

describe('the declarations', () => {
  const compile = (resolution: 'node16' | 'bundler', source: string) => {
    writeFileSync(join(folder.path, 'consumer.mts'), source);
    const compilerOptions = {
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], noEmit: true },
      ...{ module: resolution === 'node16' ? 'node16' : 'esnext', moduleResolution: resolution },
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
    return run('node', [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: folder.path });
  };
  const program = `
    import { load, type AttentionResult, type Tensor, type WasmAttention } from 'wasm-attention';
    import * as slim from 'wasm-attention/slim';
    const attention: WasmAttention = await load({ threads: 1 });
    const same: slim.WasmAttention = await slim.load();
    const result: AttentionResult = same.scaledDotProductAttention([[1]], [[1]], [[1]], { isCausal: true });
    const output: Tensor = result.output;
    export const first: number | undefined = output.data[0];
  `;

  it.each(['node16', 'bundler'] as const)('are accepted by a strict tsc with %s resolution', (resolution) => {
    expect(compile(resolution, program).stdout).toBe('');
  });

  it('reject what the operations would reject', () => {
    const wrong = `${program}
      attention.scaledDotProductAttention('query', [[1]], [[1]]);
      attention.maskedSoftmax([[1]], 'all');
    `;
    const { stdout, status } = compile('node16', wrong);
    expect(status).not.toBe(0);
    expect(stdout.match(/error TS2345/g)).toHaveLength(2);
  });
});
