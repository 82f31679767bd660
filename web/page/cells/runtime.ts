/**
 * What runs in a cell's worker: `show`, `console`, the library, and walls around all of it. The build makes one classic
 * script of it (plugins/scriptText.ts). The reader's code is not part of that script: it comes as text, and becomes a
 * module once the walls stand.
 */
import * as library from 'wasm-attention';
import { describe } from './describe.js';
import { closeDown } from './globals.js';
import { limitMemory } from './memory-budget.js';
import { MOST_CHARACTERS, type CellMessage, type CellStart } from './messages.js';
import { consoleOf, createShow } from './show.js';

const scope = self as unknown as Record<string, unknown>;
const listen = addEventListener.bind(self);
const report = reportError.bind(self);
const Text = Blob;
const addressOf = URL.createObjectURL.bind(URL);

listen(
  'message',
  // Until the code has started, a failure means that the browser allows no such worker or module; the frame hears of
  // it.
  ({ data, ports: [port] }: MessageEvent<CellStart>) => void run(data, port!).catch(report),
  { once: true },
);

async function run({ code, wasm }: CellStart, port: MessagePort): Promise<void> {
  const post = port.postMessage.bind(port) as (message: CellMessage) => void;
  const modules = libraryModule(wasm);
  await import(/* @vite-ignore */ modules);
  delete scope.library;

  const { show, log } = createShow(post);
  closeDown(self);
  limitMemory(scope);
  Object.defineProperty(scope, 'console', { value: consoleOf(log) });
  Object.defineProperty(scope, 'show', { value: show });

  const address = moduleOf(code.join(JSON.stringify(modules)));
  const failed = (event: Event, thrown: unknown, line?: number): void => {
    event.preventDefault();
    const failure = failureOf(thrown, address, line);
    post({ ...failure, message: failure.message.replaceAll(modules, 'wasm-attention') });
  };
  listen('error', (event) =>
    failed(event, event.error ?? event.message, event.filename === address ? event.lineno : undefined),
  );
  listen('unhandledrejection', (event) => failed(event, event.reason));
  post({ type: 'started' });
  try {
    await import(/* @vite-ignore */ address);
    post({ type: 'done' });
  } catch (thrown) {
    // The event says where a syntax error is; the error itself says so only in some browsers.
    report(thrown);
  }
}

/** The address of the library as a cell imports it: the same, but with the wasm that the page has sent. */
function libraryModule(wasm: BufferSource): string {
  const load: typeof library.load = (options) =>
    options === undefined ? library.load({ wasm }) : library.load({ wasm, ...options });
  const all = { ...library, load };
  scope.library = all;
  const names = Object.keys(all).join();
  return moduleOf(`const { ${names} } = library; export { ${names} };`);
}

function moduleOf(text: string): string {
  return addressOf(new Text([text], { type: 'text/javascript' }));
}

/** What was thrown, with the innermost line of the reader's own code; otherwise with `line`. */
function failureOf(
  thrown: unknown,
  address: string,
  line: number | undefined,
): Extract<CellMessage, { type: 'failed' }> {
  const error = thrown instanceof Error ? thrown : undefined;
  const name = error === undefined ? '' : describe(error.name).slice(0, 100);
  const message = describe(error === undefined ? thrown : error.message).slice(0, MOST_CHARACTERS);
  return { type: 'failed', name, message, line: lineIn(error?.stack, address) ?? line };
}

function lineIn(stack: unknown, address: string): number | undefined {
  if (typeof stack !== 'string') return undefined;
  for (const frame of stack.split('\n')) {
    const at = frame.indexOf(`${address}:`);
    const line = at < 0 ? NaN : parseInt(frame.slice(at + address.length + 1), 10);
    if (line > 0) return line;
  }
  return undefined;
}
