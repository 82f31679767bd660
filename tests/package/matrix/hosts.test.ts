/** The package in test runners, Cloudflare's isolates, an extension, and where something stands in its way. */
import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { load } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { ROOT, output, run } from '../support.js';
import { HOSTS, POLICY, TOOLS, page, program, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();
const esbuild = (...args: string[]): string =>
  output(join(TOOLS, '.bin/esbuild'), [...args, '--bundle', '--log-level=error'], { cwd: consumer.path });

beforeAll(() => {
  consumer.link(TOOLS, 'ts-jest', '@huggingface/tokenizers');
  consumer.link(join(ROOT, 'node_modules'), 'jest', 'typescript', '@types');
});

it.each(['jest', 'ts-jest'])('%s runs tests that use the package, with its flag for ES modules', (host) => {
  consumer.prepare(host);
  const path = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  const { stderr, status } = run('npm', ['test'], { cwd: consumer.path, env: { PATH: path } });
  expect([status, stderr]).toEqual([0, expect.stringMatching(/Tests: +(\d) passed, \1 total/)]);
});

it('an unpacked extension computes in its background, in its page and in a worker', async () => {
  const folder = join(consumer.path, 'extension');
  cpSync(join(HOSTS, 'extension'), folder, { recursive: true });
  cpSync(join(consumer.path, 'node_modules/wasm-attention/dist'), join(folder, 'wasm-attention'), { recursive: true });
  cpSync(join(ROOT, 'tests/fixtures/stories260K'), join(folder, 'stories260K'), { recursive: true });
  const context = await chromium.launchPersistentContext(join(consumer.path, 'profile'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Playwright's own headless mode has no extensions.
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
  try {
    const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    const tab = await context.newPage();
    await tab.goto(new URL('page.html', background.url()).href);
    await tab.locator('positional-heatmap[drawn]').waitFor();
    await tab.getByText('the worker computed 10, the background wrote 10 tokens').waitFor();
  } finally {
    await context.close();
  }
});

it('a Cloudflare Worker embeds sentences, to the bit as Node does', async () => {
  cpSync(join(ROOT, 'web/examples/cloudflare'), consumer.path, { recursive: true });
  const fixture = join(ROOT, 'tests/fixtures/stories260K');
  cpSync(fixture, join(consumer.path, 'model'), { recursive: true });
  const worker = spawn(
    'node',
    [join(TOOLS, 'wrangler/bin/wrangler.js'), 'dev', '--port', '0', '--inspector-port', '0'],
    {
      cwd: consumer.path,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    },
  );
  try {
    let said = '';
    const address = await new Promise<string>((resolve, reject) => {
      const hear = (data: Buffer): void => {
        said += String(data);
        const [, url] = /Ready on (http:\S+)/.exec(said) ?? [];
        if (url) resolve(url);
      };
      worker.stdout.on('data', hear);
      worker.stderr.on('data', hear);
      worker.on('exit', () => reject(new Error(said)));
    });
    const sentences = ['One day, it rained.', 'The cat was happy.'];
    const response = await fetch(new URL('embed', address), { method: 'POST', body: JSON.stringify(sentences) });
    const vectors = (await response.json()) as number[][];
    const attention = await load();
    const config = JSON.parse(readFileSync(join(fixture, 'config.json'), 'utf8')) as unknown;
    const model = await openModel({ config, weights: readFileSync(join(fixture, 'model.safetensors')), attention });
    const ids = [
      [1, 385, 328, 432, 312, 352, 412, 271, 266, 426],
      [1, 291, 280, 294, 286, 393, 426],
    ];
    expect(vectors.flat()).toEqual([...model.embed(ids, { normalize: true }).data]);
  } finally {
    worker.kill();
  }
});

describe('an error names the cause', () => {
  it.each([
    [
      'wasm-attention',
      /^failed RangeError: load: expected a content security policy with 'wasm-unsafe-eval' in script-src, got /,
    ],
    [
      'wasm-attention/slim',
      /^failed RangeError: load: expected a content security policy with 'wasm-unsafe-eval' in script-src, got /,
    ],
  ])('if a policy forbids what %s needs', async (entry, message) => {
    consumer.write('app.js', program(entry));
    consumer.write('index.html', page('./bundle.js'));
    esbuild('app.js', '--format=esm', '--outfile=bundle.js');
    for (const name of ['wasm-attention.wasm', 'wasm-attention-relaxed.wasm'])
      cpSync(join(consumer.path, 'node_modules/wasm-attention/dist', name), join(consumer.path, name));
    const policy = POLICY.replace(" 'wasm-unsafe-eval'", '');
    expect(await open({ folder: consumer.path, path: '/index.html', policy })).toMatch(message);
  });

  it.each([
    ['wasm-attention/slim', /failed RangeError: load: expected import\.meta\.url or the option wasm, got Invalid URL/],
    [
      'wasm-attention/worker',
      /failed RangeError: loadWorker: expected import\.meta\.url or the option worker, got neither/,
    ],
  ])('if %s is bundled as CommonJS', (entry, message) => {
    consumer.write('app.js', program(entry));
    esbuild('app.js', '--format=cjs', '--platform=node', '--outfile=bundle.cjs');
    expect(output('node', ['bundle.cjs'], { cwd: consumer.path })).toMatch(message);
  });
});
