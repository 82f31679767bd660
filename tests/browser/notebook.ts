/** A page that treats a widget's module like notebooks: JupyterLab, marimo and mystmd. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch } from './chromium.js';
import { servePage, type PageServer } from './server.js';

const MODULE = 'anywidget.js';
const BODY = '<!doctype html><html lang="en"><title>Notebook</title><body><main><h1>Notebook</h1></main></body></html>';

interface Opened {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** The host's side of a widget. */
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
export type Hosting = Window & { host: Host };

/** Opens notebooks for one test file, and fails each test whose page reported an error. */
export function useNotebook(): {
  readonly open: (opened?: Opened) => Promise<Page>;
  /** The files that were requested since the last page was opened. */
  readonly asked: string[];
} {
  let browser: Browser;
  let server: PageServer;
  const asked: string[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    const folder = join(import.meta.dirname, '../../dist/elements');
    server = await servePage({ folder, asked: (path) => asked.push(path) });
    browser = await launch();
  });
  afterEach(() => {
    expect(errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  return {
    asked,
    async open(opened = {}) {
      const page = await openIn(browser, server, errors, opened);
      asked.length = 0;
      return page;
    },
  };
}

/** Opens an empty notebook, which gets the module's text once, as from a kernel, and no other file. */
async function openIn(
  browser: Browser,
  server: PageServer,
  errors: string[],
  { colorScheme = 'light', width = 1280 }: Opened,
): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
  page.on('console', (message) => message.type() !== 'debug' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.route('**/notebook.html', (route) => route.fulfill({ contentType: 'text/html', body: BODY }));
  await page.goto(`${server.origin}/notebook.html`);
  await page.evaluate(async (module) => {
    const text = await (await fetch(module)).text();
    // A new URL makes a new copy of the module, as notebooks make one per widget class, or per widget.
    const load = async () => {
      const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
      const { default: widget } = (await import(url)) as typeof import('wasm-attention/anywidget');
      URL.revokeObjectURL(url);
      return widget;
    };
    const first = await load();
    const widgets: {
      traits: Record<string, unknown>;
      listeners: Map<string, Set<() => void>>;
      sent: number;
      end: () => void;
      el: HTMLElement;
    }[] = [];
    const tell = (id: number, name: string): void =>
      widgets[id]!.listeners.get(`change:${name}`)?.forEach((call) => call());
    (window as unknown as Hosting).host = {
      async show(given, fresh = false) {
        const widget = fresh ? await load() : first;
        const id = widgets.length;
        const el = document.createElement('div');
        document.querySelector('main')!.append(el);
        const own = {
          traits: { ...given },
          listeners: new Map<string, Set<() => void>>(),
          sent: 0,
          end: () => undefined,
          el,
        };
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
  return page;
}

/** Shows weights of `layers` by `heads` heads over `length` tokens; head h attends to the token h places back. */
export const showHeads = (page: Page, layers: number, heads: number, length: number): Promise<number> =>
  page.evaluate(
    ([layers, heads, length]) => {
      const data = new Float32Array(layers! * heads! * length! * length!);
      for (let map = 0; map < layers! * heads!; ++map)
        for (let t = 0; t < length!; ++t) data[(map * length! + t) * length! + Math.max(0, t - (map % heads!))] = 1;
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

/** Calls a function in the page with its host. */
export const host = <T>(page: Page, call: (host: Host, given: T) => unknown, given?: T): Promise<unknown> =>
  page.evaluate(`(${String(call)})(window.host, ${JSON.stringify(given) ?? 'undefined'})`);
