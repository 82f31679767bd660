import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT, output } from '../support.js';
import { TOOLS, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();
const EXAMPLES = join(ROOT, 'web/examples');

/** The package is installed where the example is copied to. */
function copy(example: string): void {
  cpSync(join(EXAMPLES, example), consumer.path, { recursive: true });
}

const shown = async (page: Page, pattern: RegExp): Promise<string> => {
  const place = page.locator('output').filter({ hasText: pattern });
  await place.waitFor();
  return (await place.textContent())!;
};

describe('the example', () => {
  it('plain shows weights that sum to one', async () => {
    copy('plain');
    const text = await open({ folder: consumer.path, path: '/index.html', policy: '' }, (page) => shown(page, /%/));
    const shares = Array.from(text.matchAll(/(\d+) %/g), ([, share]) => Number(share));
    expect(shares).toHaveLength(4);
    // Four numbers, each rounded by at most a half.
    expect(Math.abs(shares.reduce((a, b) => a + b) - 100)).toBeLessThanOrEqual(2);
    // The query is most like the animal.
    expect(Math.max(...shares)).toBe(shares[1]);
  });

  it('vite builds, and shows products that depend on the distance', async () => {
    copy('vite');
    output('node', [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: consumer.path,
    });
    const folder = join(consumer.path, 'dist');
    expect(readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.wasm'))).toHaveLength(4);
    const text = await open({ folder, path: '/index.html', policy: '' }, (page) => shown(page, /apart/));
    // sum over 16 frequencies of cos(distance * frequency), in float64.
    const product = (distance: number) =>
      Array.from({ length: 16 }, (_, j) => Math.cos(distance * 10000 ** (-j / 16))).reduce((a, b) => a + b);
    expect(text).toBe([0, 1, 5, 20].map((d) => `${d} apart: ${product(d).toFixed(2)}`).join(', '));
  });

  it('node learns', () => {
    copy('node');
    const losses = Array.from(
      output('node', ['main.mjs'], { cwd: consumer.path }).matchAll(/loss ([\d.]+)/g),
      ([, loss]) => Number(loss),
    );
    expect(losses).toHaveLength(4);
    expect(losses[3]!).toBeLessThan(losses[0]! / 5);
  });

  /** The tokenizers are installed beside the package. */
  function copyWithTokenizers(example: string): string {
    copy(example);
    const tokenizers = 'node_modules/@huggingface/tokenizers';
    cpSync(join(TOOLS, '@huggingface/tokenizers'), join(consumer.path, tokenizers), { recursive: true });
    return join(ROOT, 'tests/fixtures/stories260K');
  }

  it('search ranks sentences, the most alike first', () => {
    const model = copyWithTokenizers('search');
    const sentences = ['One day, it rained.', 'The dog was happy.', 'The cat was happy.'];
    writeFileSync(join(consumer.path, 'sentences.txt'), sentences.join('\n'));
    const printed = output('node', ['main.mjs', model, 'The cat was happy.', 'sentences.txt'], {
      cwd: consumer.path,
    });
    const rows = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '));
    expect(rows.map(([, sentence]) => sentence)).toEqual([...sentences].reverse());
    expect(rows[0]![0]).toBe('1.000');
  });

  it('search-page builds, opens its model in a worker, and ranks sentences', async () => {
    const model = copyWithTokenizers('search-page');
    cpSync(model, join(consumer.path, 'public/model'), { recursive: true });
    output('node', [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: consumer.path,
    });
    const given = { folder: join(consumer.path, 'dist'), path: '/index.html', policy: '' };
    let found!: { readonly first: string[]; readonly bar: number[]; readonly second: string[] };
    await open(given, async (page) => {
      await shown(page, /ready/);
      const ranked = (): Promise<string[]> => page.locator('li').allTextContents();
      const first = await ranked();
      const bar = await page.locator('progress').evaluate((each: HTMLProgressElement) => [each.value, each.max]);
      await page.fill('input', 'One day, it rained.');
      await page.locator('li:first-child', { hasText: 'rained' }).waitFor();
      found = { first, bar, second: await ranked() };
      return '';
    });
    expect(found.first[0]).toBe('1.000 The cat was happy.');
    expect(found.second[0]).toBe('1.000 One day, it rained.');
    expect(found.bar[0]).toBe(found.bar[1]);
    expect(found.bar[0]).toBeGreaterThan(1e6);
  });

  it('corpus embeds the same vectors on one core as on two', () => {
    const model = copyWithTokenizers('corpus');
    const sentences = Array.from({ length: 70 }, (_, i) => `The cat was happy${' and happy'.repeat(i % 5)}, one day.`);
    writeFileSync(join(consumer.path, 'sentences.txt'), sentences.join('\n'));
    const [one, two] = [1, 2].map((workers) => {
      const printed = output('node', ['main.mjs', model, 'sentences.txt', String(workers)], { cwd: consumer.path });
      expect(printed).toMatch(RegExp(`^70 sentences, ${workers} workers: \\d+ per second\n$`));
      return readFileSync(join(consumer.path, 'embeddings.f32'));
    });
    // 64 numbers for each sentence.
    expect(one).toHaveLength(70 * 64 * 4);
    expect(two).toEqual(one);
    const rows = Array.from({ length: 10 }, (_, i) => one!.toString('hex', i * 256, (i + 1) * 256));
    expect(rows.slice(0, 5)).toEqual(rows.slice(5));
    expect(new Set(rows).size).toBe(5);
  });

  it('generate writes the story that the model is known for, and its speed', () => {
    const model = copyWithTokenizers('generate');
    const { text } = JSON.parse(readFileSync(join(model, 'expected.json'), 'utf8')) as { text: string };
    const printed = output('node', ['main.mjs', model], { cwd: consumer.path });
    // The prompt is the story's beginning, so the greedy tokens behind it are the same.
    const [story, speed] = printed.trimEnd().split(/\n\n(?=\d+ tokens)/);
    expect(text.length).toBeGreaterThan(400);
    expect(story!.startsWith(text.trim())).toBe(true);
    expect(speed).toMatch(/^200 tokens, \d+ per second$/);
  });

  it('worker stops when told, and starts again', async () => {
    copy('worker');
    const text = await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
      await shown(page, /ready/);
      await page.click('#start');
      await shown(page, /computing/);
      await page.waitForTimeout(300);
      await page.click('#stop');
      await shown(page, /stopped/);
      await page.click('#start');
      return shown(page, /computing/);
    });
    expect(text).toBe('computing');
  });
});
