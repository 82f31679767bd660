/** Figures and the library in Python on the page, slides, notebooks and books. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fences } from '../../support/fences.js';
import { violationsOf } from '../../browser/alone.js';
import { ROOT, output, read } from '../support.js';
import { TOOLS, useChromium, useConsumer, versionOf } from './support.js';

const consumer = useConsumer();
const open = useChromium();

/** The example with its tools, beside the package. */
function copy(example: string, tool?: string): void {
  cpSync(join(ROOT, 'web/examples', example), consumer.path, { recursive: true });
  if (tool) consumer.link(TOOLS, tool);
}

/** Runs a tool of the matrix by its own program. */
function run(program: string, ...args: string[]): void {
  const options = { cwd: consumer.path, env: { ...process.env, OBSERVABLE_TELEMETRY_DISABLE: 'true' } };
  output('node', [join(TOOLS, program), ...args], options);
}

/**
 * Reloads the page with a light and with a dark background: the console stays empty, and axe finds nothing in the given
 * elements.
 */
async function inBothSchemes(page: Page, tag: string, act: () => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const heard = await listen(page);
    await act();
    expect(await violationsOf(page, tag)).toEqual([]);
    expect(heard).toEqual([]);
  }
}

/** Reloads the page; returns its console messages from then on. */
async function listen(page: Page): Promise<string[]> {
  const heard: string[] = [];
  page.on('console', (message) => {
    // These pages have no icon.
    if (!message.location().url.endsWith('/favicon.ico')) heard.push(message.text());
  });
  await page.reload();
  return heard;
}

it('the guide’s Python prints what it says', () => {
  consumer.link(TOOLS, 'pyodide');
  const code = fences(read('web/docs/pyodide.md'))
    .filter(({ language }) => language === 'python')
    .map((fence) => fence.code)
    .join('\n');
  const program = join(consumer.path, 'guide.mjs');
  writeFileSync(
    program,
    `import { loadPyodide } from 'pyodide';
     import { load } from 'wasm-attention';
     const python = await loadPyodide();
     python.registerJsModule('wasm_attention', { attention: await load() });
     python.setStdout({ batched: (line) => console.log(line) });
     python.runPython(${JSON.stringify(code)});`,
  );
  const said = Array.from(code.matchAll(/print\(.*\) {2}# (.*)$/gm), ([, text]) => text);
  expect(said).toHaveLength(4);
  expect(output('node', [program], { cwd: consumer.path }).trimEnd().split('\n')).toEqual(said);
});

it('pyodide computes attention in Python, and a figure draws it', async () => {
  cpSync(join(ROOT, 'web/examples/pyodide'), consumer.path, { recursive: true });
  const text = await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'main', () => page.locator('head-viewer .thumbnail').nth(3).waitFor({ timeout: 60_000 }));
    return page.locator('output').innerText();
  });
  // Causal: the first token sees only itself.
  expect(text).toBe('The first token gives itself a weight of 1.00.');
});

it('slides of reveal.js show figures, which keep their keys and track the pointer', async () => {
  copy('reveal', 'reveal.js');
  await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
    const slide = () => page.locator('section.present').locator('h1, h2').textContent();
    const heard = await listen(page);
    await page.locator('.reveal.ready').waitFor();
    await page.keyboard.press('ArrowRight');
    const map = page.locator('positional-heatmap[drawn]');
    await map.waitFor();
    expect(await slide()).toBe('Each row is a position');
    const slider = map.getByRole('slider').first();
    await slider.focus();
    const before = await slider.inputValue();
    await page.keyboard.press('ArrowRight');
    expect(await slider.inputValue()).not.toBe(before);
    expect(await slide()).toBe('Each row is a position');
    // Slides are scaled: the readout must be that of the cell under the pointer.
    const plot = map.locator('heat-map').getByRole('application');
    // Waits until the slide has stopped moving.
    await plot.hover();
    const { y, height } = (await map.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()!.height);
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + box.width - 2, box.y + 2);
    const { cursor, columns } = await map.locator('heat-map').evaluate((element) => {
      const { cursor, columns } = element as unknown as { cursor: object; columns: number };
      return { cursor, columns };
    });
    expect(cursor).toEqual({ row: 0, column: columns - 1 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page, '.reveal')).toEqual([]);
    }
    await page.locator('section.present h2').click();
    await page.keyboard.press('ArrowRight');
    await page.locator('attention-masks[drawn]').waitFor();
    expect(await slide()).toBe('Who may see whom?');
    expect(heard).toEqual([]);
    return '';
  });
});

it('a page without tools follows one figure and gives another its own weights', async () => {
  copy('figures');
  await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'main', async () => {
      const figure = page.locator('rotary-pairs[drawn]');
      await figure.waitFor();
      await figure.getByRole('slider', { name: 'Query position i', exact: true }).focus();
      await page.keyboard.press('ArrowRight');
      await page.locator('output').filter({ hasText: 'query,13' }).waitFor();
      await page.locator('head-viewer').scrollIntoViewIfNeeded();
      await page.locator('head-viewer .thumbnail').nth(1).waitFor();
    });
    return '';
  });
});

it('Sphinx builds a page with a figure', async () => {
  copy('sphinx');
  output('sphinx-build', ['-q', '-W', '.', '_build'], { cwd: consumer.path });
  await open({ folder: join(consumer.path, '_build'), path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'positional-heatmap', () => page.locator('positional-heatmap[drawn]').waitFor());
    return '';
  });
});

it('Pandoc, which Quarto runs, makes a page with a figure from a Quarto document', async () => {
  copy('quarto');
  output('pandoc', ['--standalone', '--from', 'markdown', '--to', 'html', '--output', 'index.html', 'index.qmd'], {
    cwd: consumer.path,
  });
  await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'attention-masks', async () => {
      const figure = page.locator('attention-masks[drawn]');
      await figure.waitFor();
      expect(await figure.evaluate((element) => (element as unknown as { left: number }).left)).toBe(3);
    });
    return '';
  });
});

it('the directive of mystmd names the file and its traits, and a page that reads them shows the figure', async () => {
  copy('myst');
  try {
    run('mystmd/dist/myst.cjs', 'build', '--site');
  } catch {
    // The theme, which it fetches last, is not needed.
  }
  const site = join(consumer.path, '_build/site');
  const { mdast } = JSON.parse(readFileSync(join(site, 'content/index.json'), 'utf8')) as { mdast: Node };
  const { esm, model } = find(mdast, 'anywidget')!;
  expect(readFileSync(join(site, 'public', esm!))).toEqual(readFileSync(join(ROOT, 'dist/elements/anywidget.js')));
  consumer.write(
    '_build/site/public/host.html',
    `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark" />
     <title>Host</title><style>body { background: canvas }</style><main></main><script type="module">
       import widget from '.${esm}';
       const traits = ${JSON.stringify(model)};
       const model = { get: (name) => traits[name], set() {}, save_changes() {}, on() {}, off() {} };
       widget.render({ model, el: document.querySelector('main') });
     </script></html>`,
  );
  await open({ folder: join(site, 'public'), path: '/host.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'attention-masks', async () => {
      const figure = page.locator('attention-masks[drawn]');
      await figure.waitFor();
      expect(await figure.evaluate((element) => (element as unknown as { left: number }).left)).toBe(3);
    });
    return '';
  });
});

it('Observable’s framework builds a page whose figure follows an input', async () => {
  cpSync(join(ROOT, 'web/examples/observable'), consumer.path, { recursive: true });
  fillCache();
  run('@observablehq/framework/dist/bin/observable.js', 'build');
  await open({ folder: join(consumer.path, 'dist'), path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'attention-masks', async () => {
      const figure = page.locator('attention-masks[drawn]');
      await figure.waitFor();
      const size = page.getByRole('spinbutton', { name: 'Earlier tokens' });
      await size.fill('5');
      await page.waitForFunction(
        () => (document.querySelector('attention-masks') as unknown as { left: number }).left === 5,
      );
      await figure.getByRole('slider').first().focus();
      await page.keyboard.press('ArrowRight');
      await page.getByText(/The reader has changed: .*"left":5/).waitFor();
    });
    return '';
  });
});

it('cells of Observable’s runtime compute, and a heat map follows them', async () => {
  copy('observable-runtime');
  for (const tool of ['@observablehq', 'isoformat'])
    cpSync(join(TOOLS, tool), join(consumer.path, 'node_modules', tool), { recursive: true });
  await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
    await inBothSchemes(page, 'main', async () => {
      const rows = () => page.locator('heat-map').evaluate((element) => (element as unknown as { rows: number }).rows);
      await page.locator('heat-map').waitFor();
      expect(await rows()).toBe(20);
      await page.getByRole('slider', { name: 'Positions' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => (document.querySelector('heat-map') as unknown as { rows: number }).rows === 21);
    });
    return '';
  });
});

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly esm?: string;
  readonly model?: unknown;
}

function find(node: Node, type: string): Node | undefined {
  if (node.type === type) return node;
  for (const child of node.children ?? []) {
    const found = find(child, type);
    if (found) return found;
  }
  return undefined;
}

/** Serves what the framework would fetch from a CDN and a registry from npm's packages. */
function fillCache(): void {
  const cache = join(consumer.path, 'src/.observablehq/cache/_npm');
  for (const name of ['htl', 'isoformat']) {
    const folder = join(cache, `${name}@${versionOf(name)}`);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, '_esm.js');
    output(
      join(TOOLS, '.bin/esbuild'),
      [join(TOOLS, name, 'src/index.js'), '--bundle', '--format=esm', `--outfile=${file}`],
      {},
    );
  }
  // The newest version of libraries that a page may name: any cached one will do.
  const program = join(TOOLS, '@observablehq/framework/dist');
  for (const file of readdirSync(program, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    for (const [, name] of readFileSync(join(program, file), 'utf8').matchAll(/"npm:((?:@[\w-]+\/)?[\w.-]+)/g))
      if (name !== 'htl' && name !== 'isoformat') mkdirSync(join(cache, `${name}@0.0.0`), { recursive: true });
  }
}
