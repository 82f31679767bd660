/** Code cells on a cross-origin isolated host, in a browser that allows a frame only workers from data: URLs there. */
import { expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, outputs, run, verdictOf } from '../../cells.js';

let asked: string[] = [];
const { open, origin, expectErrors } = useBrowser({
  asked: (path) => asked.push(path),
  policy: '',
  headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
});

/** Refuses workers from blob: URLs, as WebKit does. */
const REFUSE = `
  const Real = Worker;
  self.Worker = class extends Real {
    constructor(address) {
      super(String(address).replace(/^blob:.*/, 'blob:none'));
    }
  };`;

test.each([
  [
    'shows its results',
    "import { load } from 'wasm-attention';\nawait load();\nshow(6 * 7);",
    'Done. Outputs: 1.',
    ['42'],
  ],
  ['names the line of an error', "show('before');\nnull.x;", /^Line 2: TypeError: /, ['before']],
  ['names the line of a syntax error', 'show(1);\nlet x = ;', /^Line 2: SyntaxError: /, []],
  ['names the module', "import { none } from 'wasm-attention';", /^Line 1: SyntaxError: .*'wasm-attention'/, []],
])('a cell %s', async (_, code, said, texts) => {
  const { cell } = await cellWith(open, code, { script: REFUSE, limit: 3000 });
  expect(await verdictOf(cell)).toMatch(said);
  expect((await outputs(cell)).map(({ text }) => text)).toEqual(texts);
});

test('neither the code nor its frame has a network', async () => {
  const escaped = `${origin()}/escaped`;
  const code = `//\u2028await import('${escaped}').catch(() => show('refused'));\nawait new Promise(() => {});`;
  const { page, cell } = await cellWith(open, code, { script: REFUSE });
  await run(cell);
  await cell.locator('.output pre', { hasText: 'refused' }).waitFor();
  const frame = page.frames()[1]!;
  expect(asked.at(-1)).toBe('/cell-frame.html');
  asked = [];
  expect(frame.url()).toBe(`${origin()}/cell-frame.html`);
  const said = await frame.evaluate(async (address) => {
    location.href = address;
    return fetch(address).catch((error: unknown) => [self.origin, (error as Error).name]);
  }, escaped);
  expect(said).toEqual(['null', 'TypeError']);
  await page.waitForTimeout(300);
  expect(asked).toEqual([]);
  expectErrors(/^failed: |Content Security Policy/);
});
