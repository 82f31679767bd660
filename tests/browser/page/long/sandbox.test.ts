/** Code in a cell cannot reach the page's origin, storage or the network, whatever it tries. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, outputs, run, verdictOf } from '../../cells.js';

/** The browser's messages about requests that a policy forbids. */
const BLOCKED = /^failed: |Content Security Policy/;

let asked: string[] = [];
const { open, origin, expectErrors } = useBrowser({ asked: (path) => asked.push(path) });

/** Another host, which would answer any request. */
let elsewhere: Server;
let connections = 0;
beforeAll(async () => {
  elsewhere = createServer((_request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/javascript').end();
  });
  elsewhere.on('connection', () => ++connections);
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void elsewhere.close());
beforeEach(() => {
  connections = 0;
});
const other = (): string => `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

/** Runs code in its own page and returns the cell's status. The code must not have requested or shown anything. */
async function verdictOn(code: string): Promise<string> {
  const { page, cell } = await cellWith(open, code, { limit: 3000 });
  asked = [];
  const said = await verdictOf(cell);
  expect(await outputs(cell)).toEqual([]);
  expect(connections).toBe(0);
  expect(asked.filter((path) => path.includes('escaped'))).toEqual([]);
  expect(await page.title()).not.toBe('taken');
  return said;
}

describe('text that is not one whole program is rejected, and none of it runs', () => {
  const takes = "const f = fetch, cs = caches, R = Response; f('/escaped'); show('out');";
  test.each([
    ['closes its function', `await new Promise(()=>{})},[],0);${takes};(async()=>{`],
    ['closes it at once', `});${takes};(async()=>{`],
    ['closes a block and a function', `}}});${takes};({a(){({b(){`],
    ['declares what the runtime uses', `},[],0);function postMessage(){${takes}};function Reflect(){};(async()=>{`],
    ['ends its script', `</script><script>${takes}`],
    ['ends a comment', `*/ ${takes} /*`],
    ['hides a string’s end in an HTML comment', "let a = 1 <!-- ';\nshow('out') // '"],
    ['hides an import behind the end of one', "let a = 1;\n--> '\nimport('/escaped') // '"],
    ['returns', `show('out'); return;`],
    ['does not close a brace', `{ ${takes}`],
  ])('which %s', async (_, code) => {
    expect(await verdictOn(code)).toMatch(/^Line \d: SyntaxError: /);
  });
});

describe('an import that the page’s parser overlooks fails', () => {
  const imports = (address: string): [string, string][] => [
    ['behind a separator of lines', `//\u2028await import('${address}');`],
    ['as a statement', `//\u2028import '${address}';`],
    ['deferred', `await import.defer('${address}');`],
    ['of a source', `await import.source('${address}');`],
  ];
  test.each(imports('/assets/escaped.js').map(([how], index) => [how, index] as const))('%s', async (how, index) => {
    for (const address of [`${origin()}/escaped.js`, `http://${other()}/`, 'data:text/javascript,show(1)']) {
      expect(await verdictOn(imports(address)[index]![1])).toMatch(
        /^(Line \d: )?(TypeError: Failed to |SyntaxError: )/,
      );
    }
    if (how !== 'deferred' && how !== 'of a source') expectErrors(BLOCKED);
  });
});

test('no name, prototype or constructor that a cell can reach leads outside', async () => {
  const { cell } = await cellWith(
    open,
    `
const wanted = new Set(\`fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource RTCPeerConnection indexedDB caches cookieStore
  importScripts Worker SharedWorker BroadcastChannel MessageChannel MessagePort navigator postMessage close location sendBeacon URL Blob
  createObjectURL Response Request FileReader storage serviceWorker open parent top opener document window reportError lines\`.split(/\\s+/));
const found = new Set(), seen = new Set(), left = [globalThis, show, console, import.meta, (async () => {}).constructor, (function* () {}).constructor];
while (left.length > 0) {
  const value = left.pop();
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
  seen.add(value);
  left.push(Object.getPrototypeOf(value));
  for (const key of Reflect.ownKeys(value)) {
    const { value: held, get } = Object.getOwnPropertyDescriptor(value, key);
    if (wanted.has(String(key)) && (held ?? get) !== undefined) found.add(String(key));
    left.push(held, get);
    try { left.push(value[key]); } catch {}
  }
}
show([...found].sort());
const failing = [];
for (const make of [() => new Function('return 1')(), () => (0, eval)('1'), () => (async () => {}).constructor('1'),
  () => show.constructor('1'), () => Reflect.construct(Object.getPrototypeOf(function* () {}).constructor, ['1'])])
  try { make(); failing.push('ran'); } catch (error) { failing.push(error.name); }
show(failing);
globalThis.ran = false;
setTimeout('globalThis.ran = true');
await new Promise((resolve) => setTimeout(resolve, 50));
show(globalThis.ran);`,
  );
  expect(await verdictOf(cell)).toBe('Done. Outputs: 3.');
  const evals = Array.from({ length: 5 }, () => 'EvalError').join(', ');
  // The walk does find what is there.
  expect(await outputs(cell)).toEqual([{ text: '[lines]' }, { text: `[${evals}]` }, { text: 'false' }]);
});

/** Runs code in a cell's worker instead of the runtime, with all globals; `say` shows text. */
async function outputsOfBareWorker(code: string): Promise<string[]> {
  const worker = `onmessage = async ({ ports: [port] }) => {
    port.postMessage({ type: 'started' });
    const say = (text) => port.postMessage({ type: 'text', text: String(text) });
    const tried = async (name, action) => {
      try { say(name + ': ' + await Promise.race([action(), new Promise((resolve) => setTimeout(resolve, 500, 'silence'))])); }
      catch (error) { say(name + ': ' + error.name); }
    };
    ${code}
    port.postMessage({ type: 'done' });
  };`;
  const { cell } = await cellWith(open, 'show(1);', {
    script: `
      const Real = Worker;
      self.Worker = class extends Real {
        constructor() { super(URL.createObjectURL(new Blob([${JSON.stringify(worker)}]))); }
      };`,
  });
  asked = [];
  expect(await verdictOf(cell)).toMatch(/^Done\./);
  return (await outputs(cell)).map(({ text }) => text ?? '');
}

test('even a worker with all globals has no network, no storage and no access to the page’s origin', async () => {
  const said = await outputsOfBareWorker(`
    const once = (target, good) => new Promise((resolve, reject) => {
      target.onerror = (event) => { event.preventDefault?.(); reject(new Error()); };
      target.onopen = target['on' + good] = () => resolve('reached');
    });
    await tried('origin', () => self.origin);
    for (const host of ['${origin()}', 'http://${other()}']) {
      await tried('fetch', async () => { await fetch(host + '/escaped', { mode: 'no-cors', keepalive: true }); return 'reached'; });
      await tried('request', () => { const request = new XMLHttpRequest(); request.open('GET', host + '/escaped', false); request.send(); return 'reached'; });
      await tried('importScripts', () => { importScripts(host + '/escaped.js'); return 'reached'; });
      await tried('import', async () => { await import(host + '/escaped.js'); return 'reached'; });
      await tried('worker', () => once(new Worker(host + '/escaped.js'), 'message'));
      await tried('socket', () => once(new WebSocket(host.replace('http', 'ws') + '/escaped'), 'open'));
      await tried('events', () => once(new EventSource(host + '/escaped'), 'open'));
      await tried('transport', async () => { await new WebTransport(host.replace('http', 'https') + '/escaped').ready; return 'reached'; });
    }
    await tried('nested fetch', () => {
      const nested = new Worker(URL.createObjectURL(new Blob(["fetch('${origin()}/escaped', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(0))"])));
      return new Promise((resolve) => (nested.onmessage = ({ data }) => resolve(data === 1 ? 'reached' : 'failed')));
    });
    await tried('data worker', () => once(new Worker('data:text/javascript,postMessage(1)'), 'message'));
    await tried('eval', () => new Function('return "reached"')());
    await tried('indexedDB', () => indexedDB.open('x') && 'reached');
    await tried('caches', () => caches.keys());
    await tried('storage', () => navigator.storage.getDirectory());
    await tried('locks', () => navigator.locks.query());
    await tried('rtc', () => new RTCPeerConnection() && 'reached');
    await tried('beacon', () => navigator.sendBeacon('${origin()}/escaped'));
    await tried('channel', () => new Promise((resolve) => {
      new BroadcastChannel('page').onmessage = () => resolve('reached');
    }));`);
  const host = [
    /^fetch: TypeError$/,
    /^request: NetworkError$/,
    /^importScripts: NetworkError$/,
    /^import: TypeError$/,
    /^worker: (SecurityError|Error)$/,
    /^socket: (SecurityError|Error|silence)$/,
    /^events: (SecurityError|Error|silence)$/,
    /^transport: (ReferenceError|SecurityError|WebTransportError)$/,
  ];
  const all = [
    /^origin: null$/,
    ...host,
    ...host,
    /^nested fetch: failed$/,
    /^data worker: (SecurityError|Error)$/,
    /^eval: EvalError$/,
    /^indexedDB: SecurityError$/,
    /^caches: (ReferenceError|SecurityError)$/,
    /^storage: (TypeError|SecurityError)$/,
    /^locks: (TypeError|SecurityError|InvalidStateError)$/,
    /^rtc: ReferenceError$/,
    /^beacon: TypeError$/,
    /^channel: silence$/,
  ];
  expect(said).toHaveLength(all.length);
  for (const [index, pattern] of all.entries()) expect(said[index]).toMatch(pattern);
  expect(connections).toBe(0);
  expect(asked.filter((path) => path.includes('escaped'))).toEqual([]);
  expectErrors(BLOCKED);
});

test('the frame around it has no network either, and cannot navigate the page or itself', async () => {
  const { page, cell } = await cellWith(open, "show('here');\nawait new Promise(() => {});");
  await run(cell);
  await cell.locator('.output pre').waitFor();
  const frame = page.frames()[1]!;
  asked = [];
  const said = await frame.evaluate(
    async ([here, there]) => {
      const tried = async (action: () => unknown): Promise<string> => {
        try {
          return String(await action());
        } catch (error) {
          return (error as Error).name;
        }
      };
      const said: string[] = [];
      for (const action of [
        () => fetch(`${here}/escaped`, { mode: 'no-cors' }),
        () => fetch(there, { mode: 'no-cors' }),
        () => localStorage,
        () => indexedDB.open('x'),
        () => caches.keys(),
        () => document.cookie,
        () => parent.document,
        () => (top!.location.href = there),
        () => window.open(there),
        () => document.body.append(Object.assign(new Image(), { src: `${here}/escaped` })),
      ])
        said.push(await tried(action));
      navigator.sendBeacon(`${here}/escaped`);
      location.href = `${here}/escaped`;
      return said;
    },
    [origin(), `http://${other()}/`] as const,
  );
  expect(said).toEqual([
    'TypeError',
    'TypeError',
    'SecurityError',
    'SecurityError',
    expect.stringMatching(/SecurityError|ReferenceError/),
    'SecurityError',
    'SecurityError',
    'SecurityError',
    'null',
    'undefined',
  ]);
  await page.waitForTimeout(300);
  expect(connections).toBe(0);
  expect(asked).toEqual([]);
  expect(page.url()).toBe(`${origin()}/en/code-cell`);
  expectErrors(/^failed: |Content Security Policy|sandboxed/);
});
