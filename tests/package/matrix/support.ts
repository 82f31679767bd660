/** Programs that use the packed package, and the environments that run them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { servePage, type ServerOptions } from '../../browser/server.js';
import { ROOT, installInto, temporaryFolder } from '../support.js';

export const TOOLS = join(import.meta.dirname, 'node_modules');
/** Files that users write for each host, and the checks that run in it. */
export const HOSTS = join(import.meta.dirname, '../hosts');

/** The executable of a tool with a package per platform, which its installer only links. */
function binary(names: readonly string[]): string {
  const found = names.map((name) => join(TOOLS, name)).find((file) => spawnSync(file, ['--version']).status === 0);
  if (!found) throw new Error(`none of ${names.join(', ')} runs here`);
  return found;
}
export const deno = (): string =>
  binary([
    '@deno/linux-x64-glibc/deno',
    '@deno/linux-arm64-glibc/deno',
    '@deno/darwin-arm64/deno',
    '@deno/darwin-x64/deno',
  ]);
export const bun = (): string =>
  binary([
    '@oven/bun-linux-x64/bin/bun',
    '@oven/bun-linux-aarch64/bin/bun',
    '@oven/bun-darwin-aarch64/bin/bun',
    '@oven/bun-darwin-x64/bin/bun',
  ]);

/** A tool's version. */
export function versionOf(tool: string): string {
  return (JSON.parse(readFileSync(join(TOOLS, tool, 'package.json'), 'utf8')) as { version: string }).version;
}

export const ENTRIES = ['wasm-attention', 'wasm-attention/slim', 'wasm-attention/worker'] as const;
export type Entry = (typeof ENTRIES)[number];

/** softmax(Q·Kᵀ/√2)·V for the program's numbers, in float64. */
function expected(): number {
  const scores = [1, 0, 1].map((dot) => Math.exp(dot / Math.SQRT2));
  const sum = scores.reduce((a, b) => a + b);
  return scores.reduce((total, score, i) => total + (score / sum) * [10, 20, 60][i]!, 0);
}

/** A program that makes one attention call and prints the result; an ES module, for any environment with a console. */
export function program(entry: string): string {
  const [load, word] = /\/worker(\.js)?$/.test(entry) ? ['loadWorker', 'await '] : ['load', ''];
  return `
    import { ${load} } from '${entry}';
    async function main() {
      const attention = await ${load}();
      const [query, keys, values] = [[[1, 0]], [[1, 0], [0, 1], [1, 1]], [[10], [20], [60]]];
      const { output } = ${word}attention.scaledDotProductAttention(query, keys, values);
      console.log('result ' + output.data[0]);
    }
    main().catch((error) => console.log('failed ' + (error.stack || error)));
  `;
}

/** Expects a program's output to agree with the definition. */
export function expectResult(printed: string): void {
  expect(printed).toMatch(/^result [\d.]+$/m);
  const value = Number(/^result ([\d.]+)$/m.exec(printed)![1]);
  // Exponentials, a sum of three, a quotient and a mix, each within an ulp of float32 of numbers up to 60.
  expect(Math.abs(value - expected())).toBeLessThanOrEqual(8 * 2 ** -24 * 60);
}

const CONSUMER = {
  name: 'consumer',
  type: 'module',
  private: true,
};

/** A folder that has the packed package installed. */
export interface Consumer {
  readonly path: string;
  write(name: string, text: string): string;
  /**
   * Copies the programs that check every entry, the model that they open, and a host's configuration; the fields of its
   * package.json are added to the consumer's.
   */
  prepare(host?: string): void;
  /** Installs tools beside the package. */
  link(from: string, ...names: string[]): void;
}

/** One for a test file. */
export function useConsumer(): Consumer {
  const folder = temporaryFolder();
  const inside = (...path: string[]): string => join(folder.path, ...path);
  beforeAll(() => {
    writeFileSync(inside('package.json'), JSON.stringify(CONSUMER));
    installInto(folder.path);
  });
  afterAll(() => folder.remove());
  return {
    path: folder.path,
    write(name, text) {
      writeFileSync(inside(name), text);
      return inside(name);
    },
    prepare(host) {
      cpSync(join(HOSTS, 'app'), folder.path, { recursive: true });
      cpSync(join(HOSTS, 'checks'), inside('checks'), { recursive: true });
      cpSync(join(ROOT, 'tests/fixtures/stories260K'), inside('stories260K'), { recursive: true });
      if (host === undefined) return;
      const fields = (): object => JSON.parse(readFileSync(inside('package.json'), 'utf8')) as object;
      const before = fields();
      cpSync(join(HOSTS, host), folder.path, { recursive: true });
      writeFileSync(inside('package.json'), JSON.stringify({ ...before, ...fields() }));
    },
    link(from, ...names) {
      for (const name of names) {
        mkdirSync(dirname(inside('node_modules', name)), { recursive: true });
        symlinkSync(join(from, name), inside('node_modules', name));
      }
    },
  };
}

/**
 * Chromium for one test file: opens a folder's page through a server, or a URL. Returns what the page prints until
 * there is a result, or what `act` returns.
 */
export function useChromium(): (
  target: { readonly url: string } | (ServerOptions & { readonly path: string }),
  act?: (page: Page) => Promise<string>,
) => Promise<string> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
  });
  afterAll(() => browser.close());
  return async (target, act) => {
    const server = 'url' in target ? undefined : await servePage(target);
    const context = await browser.newContext();
    const page = await context.newPage();
    const heard: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    const printed = new Promise<string>((resolve) => {
      const hear = (text: string): void => {
        heard.push(text);
        if (/^(result|failed) /.test(text)) resolve(heard.join('\n'));
      };
      context.on('console', (message) => hear(message.text()));
      context.on('weberror', (error) => hear(`failed ${error.error().stack ?? error.error().message}`));
      timer = setTimeout(() => resolve([...heard, 'failed: nothing came'].join('\n')), 20_000);
    });
    try {
      await page.goto('url' in target ? target.url : new URL(target.path, server!.origin).href);
      return await (act ? act(page) : printed);
    } finally {
      clearTimeout(timer);
      await context.close();
      await server?.close();
    }
  };
}

/** The strictest policy that lets WebAssembly run. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; base-uri 'none'";

export const page = (script: string): string =>
  `<!doctype html><html lang="en"><title>Attention</title><script type="module" src="${script}"></script></html>`;
