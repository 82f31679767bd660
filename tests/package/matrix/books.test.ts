/** Figures and the library where teachers work: Python in the page, and slides. */
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fences } from '../../support/fences.js';
import { violationsOf } from '../../browser/alone.js';
import { ROOT, output, read } from '../support.js';
import { TOOLS, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();

/** The example with its tools, beside the package. */
function copy(example: string, tool: string): void {
  cpSync(join(ROOT, 'web/examples', example), consumer.path, { recursive: true });
  symlinkSync(join(TOOLS, tool), join(consumer.path, 'node_modules', tool));
}

/** Loads the page anew; what its console says from then on. */
async function listen(page: Page): Promise<string[]> {
  const heard: string[] = [];
  page.on('console', (message) => heard.push(message.text()));
  await page.reload();
  return heard;
}

it('the guide’s Python prints what it says', () => {
  symlinkSync(join(TOOLS, 'pyodide'), join(consumer.path, 'node_modules/pyodide'));
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
    const heard = await listen(page);
    await page.locator('head-viewer .thumbnail').nth(3).waitFor({ timeout: 60_000 });
    expect(await violationsOf(page, 'head-viewer')).toEqual([]);
    expect(heard).toEqual([]);
    return page.locator('output').innerText();
  });
  // Causal: the first token sees itself alone.
  expect(text).toBe('The first token gives itself a weight of 1.00.');
});

it('slides of reveal.js show figures, which keep their keys and find the pointer', async () => {
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
    // Slides are scaled: the cell under the pointer must be the one that is read out.
    const plot = map.getByRole('application');
    // Waits until the slide has come to rest.
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
    expect(await violationsOf(page, 'positional-heatmap')).toEqual([]);
    await page.locator('section.present h2').click();
    await page.keyboard.press('ArrowRight');
    await page.locator('attention-masks[drawn]').waitFor();
    expect(await slide()).toBe('Who may see whom?');
    expect(heard).toEqual([]);
    return '';
  });
});
