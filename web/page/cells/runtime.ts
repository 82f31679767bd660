/**
 * What runs in a cell's worker before the reader's code: `show`, `console`, the library, and walls around all of it. The
 * build makes one classic script of it (scripts/workers.mjs), and `program.ts` appends the reader's code.
 */
import * as library from 'wasm-attention';
import { describe } from './describe.js';
import { closeDown } from './globals.js';
import { limitMemory } from './memory-budget.js';
import { MOST_CHARACTERS, type CellMessage } from './messages.js';
import { createShow } from './show.js';

/** The reader's code as a function of the module namespaces that it imports. */
type Body = (...modules: unknown[]) => Promise<void>;
/** A name that the code imports, and the line where it does. */
type ImportedName = readonly [name: string, line: number];

const scope = self as unknown as Record<string, unknown>;
const here = location.href;
const post = postMessage.bind(self) as (message: CellMessage) => void;
const listen = addEventListener.bind(self);

scope.runCell = (body: Body, names: readonly ImportedName[], firstLine: number): void => {
  listen(
    'message',
    ({ data }: MessageEvent<{ wasm: BufferSource }>) => {
      prepare();
      void run(body, names, modules(data.wasm), firstLine);
    },
    { once: true },
  );
  const later = (event: Event, thrown: unknown): void => {
    event.preventDefault();
    post(failure(thrown, firstLine));
  };
  listen('error', (event) => later(event, event.error ?? event.message));
  listen('unhandledrejection', (event) => later(event, event.reason));
};

async function run(
  body: Body,
  names: readonly ImportedName[],
  namespace: Readonly<Record<string, unknown>>,
  firstLine: number,
): Promise<void> {
  try {
    for (const [name, line] of names) {
      if (name in namespace) continue;
      const message = `The requested module 'wasm-attention' does not provide an export named '${name}'`;
      post({ type: 'failed', name: 'SyntaxError', message, line });
      return;
    }
    await body(...Array.from({ length: body.length }, () => namespace));
    post({ type: 'done' });
  } catch (thrown) {
    post(failure(thrown, firstLine));
  }
}

/** The library as the cell imports it: the same, but for the wasm, which the page hands over. */
function modules(wasm: BufferSource): Readonly<Record<string, unknown>> {
  const load: typeof library.load = (options) =>
    options === undefined ? library.load({ wasm }) : library.load({ wasm, ...options });
  return { ...library, load };
}

function prepare(): void {
  const { show, log } = createShow(post);
  closeDown(self);
  limitMemory(scope);
  const silent = (): void => undefined;
  const console = { log, info: log, debug: log, warn: log, error: log, table: log, dir: log, assert: silent };
  const value = Object.assign(Object.create(null) as object, console, { time: silent, timeEnd: silent });
  Object.defineProperty(scope, 'console', { value });
  Object.defineProperty(scope, 'show', { value: show });
}

/** What was thrown, with the innermost line of the reader's own code. */
function failure(thrown: unknown, firstLine: number): CellMessage {
  const error = thrown instanceof Error ? thrown : undefined;
  const name = error === undefined ? '' : describe(error.name).slice(0, 100);
  const message = describe(error === undefined ? thrown : error.message).slice(0, MOST_CHARACTERS);
  return { type: 'failed', name, message, line: lineIn(error?.stack, firstLine) };
}

function lineIn(stack: unknown, firstLine: number): number | undefined {
  if (typeof stack !== 'string') return undefined;
  for (const frame of stack.split('\n')) {
    const at = frame.indexOf(`${here}:`);
    const line = at < 0 ? NaN : parseInt(frame.slice(at + here.length + 1), 10);
    if (line >= firstLine) return line - firstLine + 1;
  }
  return undefined;
}
