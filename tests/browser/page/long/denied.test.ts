/** The page in browsers that lack a feature or permission. */
import { describe, expect, test } from '@jest/globals';
import { figuresIn, textsOf, type Texts } from '../../../support/proseFiles.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { openWhole, TAGS, undrawn } from '../../whole.js';
import { choose } from '../../shown.js';

const { open } = useBrowser();

/** An engine with WebAssembly but without SIMD, which rejects modules that use it. */
const NO_SIMD = `
  const refuse = () => Promise.reject(new WebAssembly.CompileError('invalid opcode 0xfd'));
  Object.assign(WebAssembly, { validate: () => false, compile: refuse, compileStreaming: refuse });
  Object.assign(WebAssembly, { instantiate: refuse, instantiateStreaming: refuse });`;

/** Runs the script in workers, too, because cells compute there and workers have their own globals. */
const inWorkers = (script: string): string => `
  const Original = Blob;
  self.Blob = class extends Original {
    constructor(parts, options) {
      super([${JSON.stringify(script.replaceAll('\n', ' '))}, ...(parts ?? [])], options);
    }
  };`;

describe.each([
  ['WebAssembly', 'delete globalThis.WebAssembly;'],
  ['SIMD', NO_SIMD],
])('without %s', (_, script) => {
  test.each([
    ['en', 'prose', '/en/'],
    ['ko', 'prose', '/ko/'],
    ['en', 'further', '/en/further/'],
    ['ko', 'further', '/ko/further/'],
  ] as const)(
    'every figure says so in the language of the page (%s, %s.md), which can be read',
    async (language, file, path) => {
      const words: Texts = { ...textsOf(language).figures, ...textsOf(language).cells };
      const page = await openWhole(open, { path, script });
      const said = await page.evaluate((tags) => {
        const seen = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
        return seen.map((figure) => [figure.localName, figure.shadowRoot?.textContent?.trim()]);
      }, TAGS.join());
      expect(said.map(([tag]) => tag)).toEqual(figuresIn(file));
      expect(said).toEqual(said.map(([tag]) => [tag, words.unsupported]));
      expect(await page.locator('main math').first().boundingBox()).toMatchObject({
        height: expect.any(Number),
      });
      expect((await page.locator('main').innerText()).length).toBeGreaterThan(7000);
    },
  );

  test('a code cell says so', async () => {
    const page = await open({ figures: [], script: inWorkers(script) });
    const cell = page.locator('code-cell').first();
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.run').click();
    await cell.locator('p.status.off').waitFor();
    expect(await cell.locator('p.status').innerText()).toMatch(/WebAssembly/);
    expect(await cell.locator('pre').first().innerText()).toContain('wasm-attention');
  });
});

describe('without workers', () => {
  const script = 'delete globalThis.Worker;';

  test.each(['en', 'ko'])('what needs one says so (%s), and the rest works', async (language) => {
    const words: Texts = { ...textsOf(language).figures, ...textsOf(language).cells };
    const page = await openWhole(open, { path: `/${language}/further/`, script });
    expect(await undrawn(page)).toEqual([]);

    const race = page.locator('complexity-race');
    await race.getByRole('button', { name: words['race.start']! }).click();
    await race.getByText(words['race.noWorker']!).first().waitFor();

    const training = page.locator('position-training');
    await training.locator('.buttons button').first().click();
    await training.getByText(words['training.failed']!).first().waitFor();

    const extrapolation = page.locator('length-extrapolation');
    await extrapolation.getByRole('button', { name: words['extrapolation.train'] }).click();
    await extrapolation.getByText(words['training.failed']!).first().waitFor();

    const cell = page.locator('code-cell').first();
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.run').click();
    await cell.getByText(words['cell.unavailable']!).waitFor();

    // The reader does not see the engine's messages, which are English and do not help.
    for (const figure of [race, training, extrapolation, cell]) {
      expect(await figure.innerText()).not.toMatch(/\w*Error|not defined/);
    }
  });
});

test('the page works if storage, caches and service workers are denied', async () => {
  const script = `
    const deny = (object, name) =>
      Object.defineProperty(object, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
    for (const name of ['localStorage', 'sessionStorage', 'caches', 'indexedDB']) deny(window, name);
    deny(Document.prototype, 'cookie');
    deny(Navigator.prototype, 'serviceWorker');
    deny(Navigator.prototype, 'storage');`;
  const page = await open({ offline: true, script });
  expect(await page.evaluate(() => Reflect.has(navigator, 'serviceWorker'))).toBe(true);
  expect(await undrawn(page)).toEqual([]);
  // The page registers its service worker a second after it has loaded.
  await page.waitForFunction(() => performance.now() > 2500 && document.readyState === 'complete');
  await page.locator('code-cell').first().scrollIntoViewIfNeeded();
  await page.locator('code-cell').first().locator('.run').click();
  await page.locator('code-cell').first().locator('.output > *').first().waitFor();
});

test.each([
  ['is denied', `{ writeText: () => Promise.reject(new DOMException('denied', 'NotAllowedError')) }`],
  ['is missing', 'undefined'],
])('if the clipboard %s, a figure shows its link in a field, selected', async (_, value) => {
  const { page, figure } = await openAlone(open, 'attention-masks', {
    script: `Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => (${value}) });`,
  });
  await figure.evaluate((element) => (element as HTMLElement & { change(to: object): void }).change({ valid: 3 }));
  await choose(figure, textsOf('en').figures['tools.link']);
  const field = figure.locator('input.address');
  expect([...new URL(await field.inputValue()).searchParams.values()]).toEqual(['valid=3']);
  const { length } = await field.inputValue();
  expect(
    await field.evaluate((input: HTMLInputElement) => [
      input.selectionStart,
      input.selectionEnd,
      (input.getRootNode() as ShadowRoot).activeElement === input,
    ]),
  ).toEqual([0, length, true]);
  expect(new URL(page.url()).pathname).toBe('/en/attention-masks');
});
