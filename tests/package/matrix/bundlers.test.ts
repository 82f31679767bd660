import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, output } from '../support.js';
import {
  ENTRIES,
  POLICY,
  TOOLS,
  expectResult,
  page,
  program,
  useChromium,
  useConsumer,
  type Entry,
} from './support.js';

const consumer = useConsumer();
const open = useChromium();
const built = join(consumer.path, 'built');
const packaged = join(consumer.path, 'node_modules/wasm-attention/dist');

/** Runs a tool's JavaScript in its own process. */
const script = (code: string): string =>
  output('node', ['--input-type=module', '--eval', code], { cwd: consumer.path });
const bin = (name: string, ...args: string[]): string =>
  output('node', [join(TOOLS, name), ...args], { cwd: consumer.path });
/** The worker's script as a separate entry, for bundlers that ignore `new Worker(new URL(…))`. */
const threads = (entry: Entry): string[] =>
  entry === 'wasm-attention/worker' ? [join(packaged, 'worker-thread.js')] : [];
/** Every wasm beside the bundle, for bundlers that leave `new URL(…)` alone. */
const copyWasm = (entry: Entry): void => {
  if (entry !== 'wasm-attention/slim') return;
  for (const name of readdirSync(packaged).filter((file) => file.endsWith('.wasm')))
    copyFileSync(join(packaged, name), join(built, name));
};

/** Each makes built/app.js from app.js, or built/index.html from index.html. */
const BUNDLERS: Record<string, (entry: Entry) => void> = {
  vite: () => {
    script(`
      import { build } from '${join(ROOT, 'node_modules/vite/dist/node/index.js')}';
      await build({ root: '${consumer.path}', configFile: false, logLevel: 'warn', build: { outDir: '${built}', modulePreload: false } });
    `);
  },
  'webpack 5': () => {
    script(`
      import webpack from '${join(TOOLS, 'webpack/lib/index.js')}';
      const options = { mode: 'production', performance: false, context: '${consumer.path}', entry: './app.js', output: { path: '${built}', filename: 'app.js' } };
      webpack(options, (error, stats) => {
        if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
        console.error(error ?? stats.toString());
        process.exitCode = 1;
      });
    `);
  },
  rollup: (entry) => {
    const input = JSON.stringify(['app.js', ...threads(entry)]);
    script(`
      import { rollup } from '${join(TOOLS, 'rollup/dist/es/rollup.js')}';
      import resolve from '${join(TOOLS, '@rollup/plugin-node-resolve/dist/es/index.js')}';
      const bundle = await rollup({ input: ${input}, plugins: [resolve()], onwarn: ({ message }) => { throw new Error(message); } });
      await bundle.write({ dir: '${built}', entryFileNames: '[name].js', chunkFileNames: '[name].js' });
    `);
    copyWasm(entry);
  },
  esbuild: (entry) => {
    const inputs = ['app.js', ...threads(entry)];
    output(
      'node',
      [
        join(TOOLS, 'esbuild/bin/esbuild'),
        ...inputs,
        '--bundle',
        '--format=esm',
        `--outdir=${built}`,
        '--entry-names=[name]',
        '--log-override:empty-import-meta=error',
      ],
      { cwd: consumer.path },
    );
    copyWasm(entry);
  },
  parcel: () => {
    bin(
      'parcel/lib/bin.js',
      'build',
      'index.html',
      '--dist-dir',
      built,
      '--no-cache',
      '--no-source-maps',
      '--public-url',
      '/',
    );
  },
};

/** A figure on the page; prints when it has computed and painted its numbers. */
const FIGURE = `
  import 'wasm-attention/elements';
  const figure = document.body.appendChild(document.createElement('positional-heatmap'));
  const look = setInterval(() => {
    const canvas = figure.shadowRoot?.querySelector('heat-map')?.shadowRoot?.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data.buffer;
    // Sines and cosines of 60 positions have most of a colour scale's values.
    if (!pixels || new Set(new Uint32Array(pixels)).size < 100) return;
    clearInterval(look);
    console.log('result painted');
  }, 50);
`;

/** The policy that allows a page's own inline scripts: Parcel writes an import map into it if there are assets. */
function withHashes(file: string): string {
  const inline = readFileSync(file, 'utf8').matchAll(/<script(?![^>]* src=)[^>]*>(.+?)<\/script>/gs);
  const hashes = Array.from(inline, ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
  return POLICY.replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' '));
}

describe.each(Object.keys(BUNDLERS))('%s', (bundler) => {
  it.each(ENTRIES)('bundles %s into a page that runs under a strict policy', async (entry) => {
    rmSync(built, { recursive: true, force: true });
    mkdirSync(built);
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', program(entry));
    BUNDLERS[bundler]!(entry);
    if (!['vite', 'parcel'].includes(bundler))
      copyFileSync(join(consumer.path, 'index.html'), join(built, 'index.html'));
    expectResult(await open({ folder: built, path: '/index.html', policy: withHashes(join(built, 'index.html')) }));
  });

  it('bundles wasm-attention/elements into a page that draws a figure under a strict policy', async () => {
    rmSync(built, { recursive: true, force: true });
    mkdirSync(built);
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', FIGURE);
    BUNDLERS[bundler]!('wasm-attention');
    if (!['vite', 'parcel'].includes(bundler))
      copyFileSync(join(consumer.path, 'index.html'), join(built, 'index.html'));
    const policy = withHashes(join(built, 'index.html'));
    expect(await open({ folder: built, path: '/index.html', policy })).toMatch(/^result painted$/m);
  });
});

/** Vite's server in its own process; its URL. */
async function serve(entry: Entry): Promise<{ url: string; stop: () => void }> {
  const code = `
    import { createServer } from '${join(ROOT, 'node_modules/vite/dist/node/index.js')}';
    const server = await createServer({
      root: '${consumer.path}', configFile: false, logLevel: 'warn', cacheDir: '${consumer.path}/cache-${entry.replace('/', '-')}',
    });
    await server.listen(0);
    console.log(server.resolvedUrls.local[0]);
  `;
  const child = spawn('node', ['--input-type=module', '--eval', code], { cwd: consumer.path });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data).trim()));
    child.stderr.once('data', (data) => reject(new Error(String(data))));
  });
  return { url, stop: () => child.kill() };
}

describe("vite's server", () => {
  it.each(ENTRIES)('serves %s', async (entry) => {
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', program(entry));
    const server = await serve(entry);
    try {
      expectResult(await open({ url: server.url }));
    } finally {
      server.stop();
    }
  });
});
