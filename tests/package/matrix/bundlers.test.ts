/** What bundlers make of all entries at once: a page that computes, opens a model, and draws figures with workers. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT, output } from '../support.js';
import { HOSTS, POLICY, TOOLS, bun, expectResult, page, program, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();
const built = join(consumer.path, 'built');
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** Runs a tool's JavaScript in its own process. */
const script = (code: string): string =>
  output('node', ['--input-type=module', '--eval', code], { cwd: consumer.path });
const vite = (tool: string): void => {
  output('node', [tool, 'build', '--outDir', 'built', '--logLevel', 'warn'], { cwd: consumer.path });
};
/** webpack, or Rspack, which has the same interface. */
const webpack = (module: string): void => {
  script(`
    import pack from '${join(TOOLS, module)}';
    const options = { mode: 'production', performance: false, context: '${consumer.path}', entry: './app.js', output: { path: '${built}', filename: 'app.js' } };
    pack(options, (error, stats) => {
      if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
      console.error(error ?? stats.toString());
      process.exitCode = 1;
    });
  `);
};
/** The script of the host's package.json. */
const npm = (): void => {
  const path = [dirname(bun()), join(TOOLS, '.bin'), process.env.PATH].join(delimiter);
  output('npm', ['run', 'build'], { cwd: consumer.path, env: { PATH: path } });
};
const parcel = (): void => {
  const options = ['--dist-dir', built, '--no-cache', '--no-source-maps', '--public-url', '/'];
  output('node', [join(TOOLS, 'parcel/lib/bin.js'), 'build', 'index.html', ...options], { cwd: consumer.path });
};
const VITE = { vite: join(ROOT, 'node_modules/vite'), vite7: join(TOOLS, 'vite7') };

/** Each fills `built` from app.js or index.html; the host's folder has the configuration that it needs. */
const BUNDLERS: Record<string, () => void> = {
  vite: () => vite(join(VITE.vite, 'bin/vite.js')),
  vite7: () => vite(join(VITE.vite7, 'bin/vite.js')),
  webpack: () => webpack('webpack/lib/index.js'),
  rspack: () => webpack('@rspack/core/dist/index.js'),
  rollup: npm,
  esbuild: npm,
  bun: npm,
  parcel,
};

/** The policy that allows a page's own inline scripts: Parcel writes an import map into it if there are assets. */
function withHashes(file: string): string {
  const inline = readFileSync(file, 'utf8').matchAll(/<script(?![^>]* src=)[^>]*>(.+?)<\/script>/gs);
  const hashes = Array.from(inline, ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
  return POLICY.replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' '));
}

/** Copies the page and the configuration that the host needs, and empties `built`. */
function prepare(host: string): void {
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built);
  consumer.prepare(existsSync(join(HOSTS, host)) ? host : undefined);
}

beforeAll(() => consumer.link(TOOLS, '@rollup'));

/** Expects that the page's checks pass and that its figures compute in their workers. */
async function expectAll(page: Page): Promise<string> {
  const said = await page.waitForEvent('console', (message) => message.text().startsWith('result '));
  await page.locator('positional-heatmap[drawn]').waitFor();
  await page.getByRole('button', { name: 'Train: learned' }).press('Enter');
  await page.locator('position-training .readout', { hasText: 'step' }).waitFor();
  await page.getByRole('button', { name: 'Start the race' }).press('Enter');
  await page.waitForFunction(() => {
    const progress = document.querySelector('complexity-race')!.shadowRoot!.querySelector('progress');
    return progress !== null && progress.value > 0;
  });
  return said.text();
}

const ALL = 'result Checked: library, models, slim, worker, threads.';

describe.each(Object.keys(BUNDLERS))('%s', (bundler) => {
  it('builds a page with all entries, which runs under a strict policy', async () => {
    prepare(bundler);
    BUNDLERS[bundler]!();
    if (!existsSync(join(built, 'index.html')))
      copyFileSync(join(consumer.path, 'index.html'), join(built, 'index.html'));
    cpSync(join(consumer.path, 'stories260K'), join(built, 'stories260K'), { recursive: true });
    const policy = withHashes(join(built, 'index.html'));
    expect(await open({ folder: built, path: '/index.html', policy, headers: ISOLATED }, expectAll)).toBe(ALL);
  });
});

it('Vite 7 builds a worker of the page’s own, which computes and opens a model', async () => {
  prepare('vite7');
  writeFileSync(join(consumer.path, 'index.html'), page('./app.js'));
  const start = "new Worker(new URL('./own.js', import.meta.url), { type: 'module' })";
  writeFileSync(join(consumer.path, 'app.js'), `${start}.onmessage = ({ data }) => console.log('result ' + data);`);
  writeFileSync(
    join(consumer.path, 'own.js'),
    `
      import { library } from './checks/library.js';
      import { report } from './checks/report.js';
      report(library((name) => fetch('/stories260K/' + name))).then((text) => postMessage(text));
    `,
  );
  BUNDLERS.vite7!();
  cpSync(join(consumer.path, 'stories260K'), join(built, 'stories260K'), { recursive: true });
  const said = await open({ folder: built, path: '/index.html', policy: POLICY });
  expect(said).toBe('result Checked: library, models.');
});

it('Parcel builds wasm-attention as it is installed', async () => {
  prepare('none');
  writeFileSync(join(consumer.path, 'app.js'), program('wasm-attention'));
  writeFileSync(join(consumer.path, 'index.html'), page('./app.js'));
  parcel();
  expectResult(await open({ folder: built, path: '/index.html', policy: withHashes(join(built, 'index.html')) }));
});

/** The URL of a Vite's server in its own process. */
async function serve(folder: string): Promise<{ url: string; stop: () => void }> {
  const code = `
    import { createServer } from '${join(folder, 'dist/node/index.js')}';
    const server = await createServer({
      logLevel: 'warn', cacheDir: '${consumer.path}/cache', server: { headers: ${JSON.stringify(ISOLATED)} },
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

describe.each(['vite', 'vite7'] as const)("%s's server", (name) => {
  it('serves all entries', async () => {
    prepare(name);
    const server = await serve(VITE[name]);
    try {
      expect(await open({ url: server.url }, expectAll)).toBe(ALL);
    } finally {
      server.stop();
    }
  });
});
