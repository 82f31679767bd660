/** `wasm-attention/anywidget` in a page that does what notebooks do with a widget's module: JupyterLab, marimo and mystmd. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { parts, registry } from '../../web/elements/registry.js';
import { violationsOf, widthOf } from './alone.js';
import { launch } from './chromium.js';
import { servePage, type PageServer } from './server.js';

const MODULE = 'anywidget.js';
const BODY =
  '<!doctype html><html lang="en"><title>Notebook</title><body><main><h1>Notebook</h1></main></body></html>';

let browser: Browser;
let server: PageServer;
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  const folder = join(import.meta.dirname, '../../dist/elements');
  server = await servePage({ folder, asked: (path) => asked.push(path) });
  browser = await launch();
});
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

interface Opened {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** What the host keeps of a widget, and does for it. */
interface Host {
  show(traits: Record<string, unknown>, fresh?: boolean): Promise<number>;
  /** Changes traits as the kernel does. */
  change(widget: number, traits: Record<string, unknown>): void;
  traits(widget: number): Record<string, unknown>;
  /** How often the widget has sent its state. */
  sent(widget: number): number;
  remove(widget: number): void;
  listeners(widget: number): number;
}
type Hosting = Window & { host: Host };

/** An empty notebook, which gets the module's text once, as from a kernel, and no other file. */
async function open({ colorScheme = 'light', width = 1280 }: Opened = {}): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
  page.on('console', (message) => message.type() !== 'debug' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.route('**/notebook.html', (route) => route.fulfill({ contentType: 'text/html', body: BODY }));
  await page.goto(`${server.origin}/notebook.html`);
  await page.evaluate(async (module) => {
    const text = await (await fetch(module)).text();
    // A new address is a new copy of the module: notebooks make one for each widget class, or for each widget.
    const load = async () => {
      const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
      const { default: widget } = (await import(url)) as typeof import('wasm-attention/anywidget');
      URL.revokeObjectURL(url);
      return widget;
    };
    const first = await load();
    const widgets: { traits: Record<string, unknown>; listeners: Map<string, Set<() => void>>; sent: number; end: () => void; el: HTMLElement }[] = []; // prettier-ignore
    const tell = (id: number, name: string): void =>
      widgets[id]!.listeners.get(`change:${name}`)?.forEach((call) => call());
    (window as unknown as Hosting).host = {
      async show(given, fresh = false) {
        const widget = fresh ? await load() : first;
        const id = widgets.length;
        const el = document.createElement('div');
        document.querySelector('main')!.append(el);
        const own = { traits: { ...given }, listeners: new Map<string, Set<() => void>>(), sent: 0, end: () => undefined, el }; // prettier-ignore
        widgets.push(own);
        const model = {
          get: (name: string) => own.traits[name],
          set: (name: string, value: unknown) => {
            own.traits[name] = value;
            tell(id, name);
          },
          save_changes: () => void (own.sent += 1),
          on: (event: string, call: () => void) => {
            const calls = own.listeners.get(event) ?? new Set();
            own.listeners.set(event, calls.add(call));
          },
          off: (event: string, call: () => void) => void own.listeners.get(event)?.delete(call),
        };
        own.end = widget.render({ model, el }) as () => undefined;
        return id;
      },
      change: (id, given) => {
        Object.assign(widgets[id]!.traits, given);
        for (const name of Object.keys(given)) tell(id, name);
      },
      traits: (id) => widgets[id]!.traits,
      sent: (id) => widgets[id]!.sent,
      remove: (id) => {
        widgets[id]!.end();
        widgets[id]!.el.remove();
      },
      listeners: (id) => [...widgets[id]!.listeners.values()].reduce((sum, { size }) => sum + size, 0),
    };
  }, `/${MODULE}`);
  asked.length = 0;
  return page;
}

/** Weights of `layers` by `heads` heads over `length` tokens, each of which looks back by its head's number: float32 bytes. */
const showHeads = (page: Page, layers: number, heads: number, length: number): Promise<number> =>
  page.evaluate(
    ([layers, heads, length]) => {
      const data = new Float32Array(layers! * heads! * length! * length!);
      for (let map = 0; map < layers! * heads!; ++map)
        for (let t = 0; t < length!; ++t)
          data[(map * length! + t) * length! + Math.max(0, t - (map % heads!))] = 1;
      const weights = {
        data: new DataView(data.buffer),
        shape: [layers!, heads!, length!, length!],
        dtype: 'float32',
      };
      const tokens = Array.from({ length: length! }, (_, i) => `w${i + 1}`);
      return (window as unknown as Hosting).host.show({
        figure: 'head-viewer',
        weights,
        tokens,
        settings: {},
      });
    },
    [layers, heads, length],
  );

const host = <T>(page: Page, call: (host: Host, given: T) => unknown, given?: T): Promise<unknown> =>
  page.evaluate(`(${String(call)})(window.host, ${JSON.stringify(given) ?? 'undefined'})`);

test.each(['light', 'dark'] as const)(
  'shows a model’s attention in the %s scheme, by no other file',
  async (colorScheme) => {
    const page = await open({ colorScheme });
    await showHeads(page, 3, 4, 6);
    const viewer = page.locator('head-viewer');
    await viewer.and(page.locator('[drawn]')).waitFor();
    await viewer.getByRole('radio', { name: 'Layer 3, head 2' }).click();
    expect(await host(page, (host) => host.traits(0).settings)).toEqual({ layer: 3, head: 2 });
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    await host(page, (host) => host.change(0, { settings: { layer: 1, head: 4, view: 'lines' } }));
    await page.waitForFunction(() => document.querySelector('head-viewer')!.shadowRoot!.textContent.includes('Layer 1, head 4')); // prettier-ignore
    // Nobody answers what came from the kernel.
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    expect(await violationsOf(page, 'head-viewer')).toEqual([]);
    expect(asked).toEqual([]);
    await page.close();
  },
);

test('12 by 12 heads of 128 tokens are shown, and how soon is printed', async () => {
  const page = await open();
  const took = await page.evaluate(async () => {
    const shape = [12, 12, 128, 128];
    const data = new Float32Array(144 * 128 * 128).fill(1 / 128);
    const weights = { data: new DataView(data.buffer), shape, dtype: 'float32' };
    const began = performance.now();
    await (window as unknown as Hosting).host.show({ weights });
    const viewer = document.querySelector<HTMLElement & { updateComplete: Promise<unknown> }>('head-viewer')!;
    await viewer.updateComplete;
    while (!viewer.hasAttribute('drawn')) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  });
  console.debug(`12 x 12 heads of 128 tokens: ${Math.round(took)} ms`);
  expect(await page.locator('head-viewer .thumbnail').count()).toBe(144);
  await page.close();
});

test('every figure draws as a widget, several of them in one notebook, by copies of the module', async () => {
  const page = await open();
  for (const [i, tag] of Object.keys(registry).entries()) {
    if (tag === 'language-model') continue; // draws when it is asked for: its own test
    await page.evaluate(([tag, fresh]) => (window as unknown as Hosting).host.show({ figure: tag }, fresh), [
      tag,
      i < 3,
    ] as const);
    await page.locator(`${tag}[drawn]`).waitFor({ state: 'attached' });
  }
  expect(asked).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(1280);
  await page.close();
}, 120_000);

test('the language model writes', async () => {
  const page = await open();
  await page.evaluate(() => (window as unknown as Hosting).host.show({ figure: 'language-model' }));
  await page.getByRole('button', { name: 'Load the model' }).click();
  await page.getByRole('button', { name: 'One token' }).click({ timeout: 30_000 });
  expect(asked).toEqual([]);
  await page.close();
}, 60_000);

describe('settings', () => {
  test('go both ways, by the names of Python and JavaScript', async () => {
    const page = await open();
    await page.evaluate(() => (window as unknown as Hosting).host.show({ figure: 'path-lengths', settings: { length: 9 } })); // prettier-ignore
    const figure = page.locator('path-lengths');
    await figure.and(page.locator('[drawn]')).waitFor();
    await figure.getByRole('slider', { name: 'kernel' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    const settings = (await host(page, (host) => host.traits(0).settings)) as Record<string, unknown>;
    expect(settings).toMatchObject({ length: 9, kernel: 4 });
    await host(page, (host, settings) => host.change(0, { settings }), { ...settings, kernel: 6 });
    await page.waitForFunction(
      () => (document.querySelector('path-lengths') as unknown as { kernel: number }).kernel === 6,
    );
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    await page.close();
  });

  test('that are wrong leave the figure as it was, and a figure that there is not says so', async () => {
    const page = await open();
    await page.evaluate(() => (window as unknown as Hosting).host.show({ figure: 'script' }));
    expect(await page.getByRole('alert').innerText()).toContain('expected figure to be one of');
    await host(page, (host) =>
      host.change(0, { figure: 'positional-heatmap', settings: { dim: 'x', onclick: 'alert(1)' } }),
    );
    await page.locator('positional-heatmap[drawn]').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.close();
  });
});

test('arrays that do not fit say so, and what was shown stays', async () => {
  const page = await open();
  await showHeads(page, 2, 2, 4);
  await page.locator('head-viewer[drawn]').waitFor();
  await host(page, (host) => host.change(0, { weights: [[1, 2], [3]] }));
  expect(await page.getByRole('alert').innerText()).toBe(
    'loadArrays: expected lists of one length at each level',
  );
  expect(await page.locator('head-viewer .thumbnail').count()).toBe(4);
  await host(page, (host) => host.change(0, { tokens: null, weights: [[0.5, 0.5], [1, 0]] })); // prettier-ignore
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.close();
});

test('a matrix of the notebook is a heat map', async () => {
  const page = await open({ width: 390 });
  await page.evaluate(() =>
    (window as unknown as Hosting).host.show({
      figure: 'heat-map',
      values: [[0, 1, -2], [0.5, 0, 2]], // prettier-ignore
      tokens: ['a', 'b'],
      settings: { label: 'Queries', row_name: 'token', columnName: 'feature' },
    }),
  );
  const map = page.locator('heat-map');
  await map.getByRole('application', { name: 'Queries' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await map.evaluate((element) => (element as unknown as { low: number }).low)).toBe(-2);
  expect(await map.locator('.column-name').innerText()).toBe('feature');
  expect(await violationsOf(page, 'heat-map')).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  await page.close();
});

test('follows the notebook’s theme, and leaves nothing behind', async () => {
  const page = await open();
  await showHeads(page, 1, 2, 4);
  const viewer = page.locator('head-viewer[drawn]');
  const pixels = () =>
    viewer.evaluate((element) =>
      element.shadowRoot!.querySelector<HTMLCanvasElement>('.thumbnails')!.toDataURL(),
    );
  await viewer.waitFor();
  const light = await pixels();
  await page.evaluate(() => {
    document.body.style.cssText = 'background: #111; color: #eee';
    document.body.dataset.jpThemeLight = 'false';
  });
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('head-viewer')!.style.colorScheme === 'dark',
  );
  expect(await pixels()).not.toEqual(light);
  await page.evaluate(() => {
    document.body.style.cssText = '';
    document.body.dataset.jpThemeLight = 'true';
  });
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('head-viewer')!.style.colorScheme === '',
  );
  expect(await pixels()).toEqual(light);
  await host(page, (host) => host.remove(0));
  expect(await host(page, (host) => host.listeners(0))).toBe(0);
  expect(await page.locator('head-viewer').count()).toBe(0);
  await page.close();
});

test('knows each part', () => {
  expect(Object.keys(parts)).toEqual(['head-viewer', 'heat-map', 'ramp-legend']);
});
