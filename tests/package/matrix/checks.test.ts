import { join } from 'node:path';
import { ROOT, output, run, temporaryFolder } from '../support.js';
import { TOOLS, useConsumer } from './support.js';

const consumer = useConsumer();
const folder = temporaryFolder();
let tarball: string;

beforeAll(() => {
  const packed = output('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path]);
  tarball = join(folder.path, (JSON.parse(packed) as [{ filename: string }])[0].filename);
});
afterAll(() => folder.remove());

describe('the tarball', () => {
  it('passes publint, including its suggestions', () => {
    const { stdout, stderr, status } = run('node', [join(TOOLS, 'publint/src/cli.js'), 'run', tarball, '--strict']);
    expect(stdout + stderr).toMatch(/All good!/);
    expect(status).toBe(0);
    expect(stdout + stderr).not.toMatch(/Suggestions|Warnings|Errors/);
  });

  it('has declarations that resolve in ES modules and bundlers', () => {
    const judge = (...more: string[]) =>
      run('node', [join(TOOLS, '@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only', ...more]);
    // The wasms are assets: importing them, and their types, are up to the bundler.
    const { stdout, status } = judge(
      '--exclude-entrypoints',
      'wasm-attention.wasm',
      'wasm-attention-relaxed.wasm',
      'wasm-attention-threads.wasm',
      'wasm-attention-threads-relaxed.wasm',
    );
    // Its messages are shown if the status differs.
    expect(status === 0 ? '' : stdout).toBe('');
    expect(judge().status).toBe(1);
  });

  it('depends on nothing', () => {
    const installed = output('npm', ['ls', '--all', '--json'], { cwd: consumer.path });
    const { dependencies } = JSON.parse(installed) as {
      dependencies: Record<string, { dependencies?: object }>;
    };
    expect(Object.keys(dependencies)).toEqual(['wasm-attention']);
    expect(dependencies['wasm-attention']!.dependencies).toBeUndefined();
  });
});

describe('the declarations of the worker', () => {
  const check = (resolution: 'node16' | 'bundler', text: string, types?: 'node'): string => {
    consumer.write('consumer.ts', text);
    const compilerOptions = {
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      },
      ...{ target: 'es2022', noEmit: true },
      ...{ lib: ['es2022', 'esnext.disposable', ...(types ? [] : ['dom'])], types: types ? [types] : [] },
      ...{ module: resolution === 'node16' ? 'node16' : 'esnext', moduleResolution: resolution },
    };
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    return run('node', [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: consumer.path }).stdout;
  };
  const right = `
    import { loadWorker, type AsyncWasmAttention, type Handle, type Tensor } from 'wasm-attention/worker';
    const attention: AsyncWasmAttention = await loadWorker();
    const { signal } = new AbortController();
    const result = await attention.with({ signal, transfer: true }).scaledDotProductAttention([[1]], [[1]], [[1]], { isCausal: true });
    export const output: Tensor = result.output;
    export const weights: Tensor | undefined = result.weights;
    const layer = await new attention.MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    const cache = await layer.createCache({ batch: 1, maxLength: 8 });
    export const length: number = await cache.length;
    const pass = await layer.forward([[[1]]], [[[1]]], [[[1]]], { cache, training: true });
    export const gradients = await pass.backward?.(pass.output);
    const adam = await new attention.Adam(await layer.parameters(), { lr: 0.1 });
    await adam.assign({ lr: 0.2 });
    const state: Record<string, Tensor> = await layer.stateDict();
    await layer.loadStateDict(state);
    export type Layer = Handle<import('wasm-attention').MultiHeadAttention>;
    export const same: Layer = layer;
  `;

  it.each(['node16', 'bundler'] as const)('are accepted with %s resolution', (resolution) => {
    expect(check(resolution, right)).toBe('');
  });

  it('are accepted without the DOM’s types, as are those of other entries', () => {
    consumer.link(join(ROOT, 'node_modules'), '@types', 'undici-types');
    const others = `
      import { load } from 'wasm-attention';
      import { load as slim } from 'wasm-attention/slim';
      import { openModel } from 'wasm-attention/models';
      import { readSafetensors } from 'wasm-attention/safetensors';
      const bytes: Uint8Array = new Uint8Array(8);
      await load({ wasm: bytes });
      await slim({ threads: 2 });
      await openModel({ config: {}, weights: [bytes] });
      readSafetensors(bytes);
    `;
    expect(check('node16', right + others, 'node')).toBe('');
  });

  it('reject what the synchronous ones reject, and results that are not awaited', () => {
    const wrong = `${right}
      attention.scaledDotProductAttention('query', [[1]], [[1]]);
      attention.maskedSoftmax([[1]]).data;
      layer.forward([[[1]]], [[[1]]], [[[1]]], { cache: 3 });
    `;
    expect(check('node16', wrong).match(/error TS\d+/g)).toHaveLength(3);
  });
});
