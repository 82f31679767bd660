/**
 * The script of a cell's worker: `show`, `console`, the library, and the sandbox around them. The build bundles it as
 * one classic script (plugins/scriptText.ts). The reader's code is not part of it: it arrives as text, and becomes a
 * module once the sandbox is in place.
 */
import * as library from 'wasm-attention';
import { describe } from './describe.js';
import { removeGlobals } from './globals.js';
import { limitMemory } from './memory-budget.js';
import { MAX_CHARACTERS, type CellMessage, type CellStart } from './messages.js';
import { ForeignImport, partsOf } from './program.js';
import { consoleOf, createShow } from './show.js';

const scope = self as unknown as Record<string, unknown>;
const listen = addEventListener.bind(self);
const report = reportError.bind(self);
const Text = Blob;
const addressOf = URL.createObjectURL.bind(URL);
/** Modules have URLs of the same kind as the worker. */
const asData = location.protocol === 'data:';

listen(
  'message',
  // Before the code starts, a failure means that the browser does not allow such a worker or module; the frame reports
  // it.
  ({ data, ports: [port] }: MessageEvent<CellStart>) => void run(data, port!).catch(report),
  { once: true },
);

async function run({ code, wasm }: CellStart, port: MessagePort): Promise<void> {
  const post = port.postMessage.bind(port) as (message: CellMessage) => void;
  const modules = libraryModule(wasm);
  await import(/* @vite-ignore */ modules);
  delete scope.library;

  removeGlobals(self);
  // From here on the run has a time limit: the parser may need long for nested code.
  post({ type: 'started' });
  let program: string;
  try {
    program = partsOf(code).join(JSON.stringify(modules));
  } catch (error) {
    if (!(error instanceof ForeignImport)) throw error;
    post({ type: 'foreign', specifier: describe(error.specifier), line: error.line });
    return;
  }
  const { show, log } = createShow(post);
  limitMemory(scope);
  Object.defineProperty(scope, 'console', { value: consoleOf(log) });
  Object.defineProperty(scope, 'show', { value: show });

  const address = moduleOf(program);
  const failed = (thrown: unknown, line?: number): void => {
    const failure = failureOf(thrown, address, line);
    post({ ...failure, message: failure.message.replaceAll(modules, 'wasm-attention') });
  };
  listen('error', (event) => {
    event.preventDefault();
    failed(event.error ?? event.message, event.filename === address ? event.lineno : undefined);
  });
  listen('unhandledrejection', (event) => {
    event.preventDefault();
    failed(event.reason);
  });
  try {
    await import(/* @vite-ignore */ address);
    post({ type: 'done' });
  } catch (thrown) {
    // The event has the line of a syntax error; the error itself has it only in some browsers. Firefox has no event for
    // endless recursion.
    if (thrown instanceof SyntaxError) report(thrown);
    else failed(thrown);
  }
}

/** The URL of the library as cells import it: it instantiates the wasm that the page has sent. */
function libraryModule(wasm: BufferSource): string {
  const load: typeof library.load = (options) =>
    options === undefined ? library.load({ wasm }) : library.load({ wasm, ...options });
  const all = { ...library, load };
  scope.library = all;
  const names = Object.keys(all).join();
  return moduleOf(`const { ${names} } = library; export { ${names} };`);
}

function moduleOf(text: string): string {
  if (asData) return `data:text/javascript,${encodeURIComponent(text)}`;
  return addressOf(new Text([text], { type: 'text/javascript' }));
}

/** What was thrown, with the innermost line of the reader's own code, or else `line`. */
function failureOf(
  thrown: unknown,
  address: string,
  line: number | undefined,
): Extract<CellMessage, { type: 'failed' }> {
  const error = thrown instanceof Error ? thrown : undefined;
  const name = error === undefined ? '' : describe(error.name).slice(0, 100);
  const message = describe(error === undefined ? thrown : error.message).slice(0, MAX_CHARACTERS);
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
