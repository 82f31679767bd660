/** Both ends of a worker, the same in browsers and in Node. */
import type { WebWorker } from './hostTypes.js';

/** The address of a worker's script, or a function that starts a worker. */
export type WorkerSource = URL | string | (() => WebWorker);

/** A worker of the package: its file, counted from `dist/`, and the expression that bundlers recognise. */
export interface Script {
  readonly file: string;
  readonly start: () => WebWorker;
}

/** The page's side. */
export interface Thread {
  post(message: unknown, transfer: readonly ArrayBuffer[]): void;
  /** In Node: whether the worker keeps the process alive. */
  keepAlive(needed: boolean): void;
  /**
   * Whether it has ended, even if `onEnd` has not been called yet. Only Node can tell; in browsers a worker ends only
   * with an error, which it reports, or with its page.
   */
  ended(): boolean;
  terminate(): void;
}

export interface ThreadEvents {
  readonly onMessage: (message: unknown) => void;
  /** The worker has ended, or did not start. */
  readonly onEnd: (reason: string) => void;
}

/** Node's module, which Bun and Deno have, too; without an import that bundlers would try to resolve. */
const nodeThreads = (): typeof import('node:worker_threads') | undefined =>
  globalThis.process?.getBuiltinModule?.('node:worker_threads');

const likeNode = (): boolean => 'Bun' in globalThis || 'Deno' in globalThis;

/** Starts a worker: the package's own, or the one that `source` gives. */
export function startThread(script: Script, source: WorkerSource | undefined, events: ThreadEvents): Thread {
  // In Bun and Deno an idle Worker would keep the process alive.
  if (typeof source !== 'function' && (likeNode() || !('Worker' in globalThis))) {
    return startNodeThread(script, source, events);
  }
  const worker = typeof source === 'function' ? source() : startWebWorker(script, source);
  worker.onmessage = ({ data }) => events.onMessage(data);
  worker.onmessageerror = () => events.onEnd('an answer that cannot be read');
  worker.onerror = (event) => {
    event.preventDefault();
    // There is no message if the script does not load, for instance because the page is isolated and the script lacks
    // its headers.
    events.onEnd(
      event.message ||
        `${script.file}, which does not load (missing, or blocked by a policy: from another origin, worker-src needs blob:)`,
    );
  };
  return {
    post: (message, transfer) => worker.postMessage(message, [...transfer]),
    keepAlive: () => undefined,
    ended: () => false,
    terminate: () => worker.terminate(),
  };
}

/** The address of a file of the package. A bundle of CommonJS does not know its own. */
function addressOf(file: string): string {
  const here = import.meta.url as string | undefined;
  if (!here) throw new RangeError(`loadWorker: expected import.meta.url or the option worker, got neither for ${file}`);
  return here.replace(/[^/]*$/, file);
}

/**
 * Starts a module worker, which may have another origin, such as a CDN's. Browsers refuse such a worker, but not a
 * script of the page's own that imports it. If the page has a content security policy, it must allow `blob:` and that
 * origin in worker-src.
 */
export function startWebWorker({ file, start }: Script, source?: URL | string): WebWorker {
  if (source === undefined) {
    const here = globalThis.location?.origin;
    const address = addressOf(file);
    if (here === undefined || !/^https?:/.test(address) || new URL(address).origin === here) return start();
    source = address;
  }
  const url = new URL(source, globalThis.location?.href);
  const foreign = globalThis.location !== undefined && /^https?:/.test(url.href) && url.origin !== location.origin;
  if (!foreign) return new Worker(url, { type: 'module' });
  const blob = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const own = URL.createObjectURL(blob);
  const worker = new Worker(own, { type: 'module' });
  worker.addEventListener('message', () => URL.revokeObjectURL(own), { once: true });
  return worker;
}

function startNodeThread(
  { file }: Script,
  source: URL | string | undefined,
  { onMessage, onEnd }: ThreadEvents,
): Thread {
  const threads = nodeThreads();
  if (!threads)
    throw new RangeError('loadWorker: expected an engine with workers (Node 20.16 or later), got one without');
  // Not `new URL(file, …)`, which bundlers would take for another asset.
  const url = source ?? addressOf(file);
  // With `node --input-type=module --eval …`, a worker would inherit the flag and refuse it, because it runs a file. An
  // empty list of flags is enough: V8's flags are inherited anyway, and may not be in the list.
  // Not a bare `process`, for which Parcel would add a polyfill.
  const { execArgv } = globalThis.process;
  const evaluated = execArgv.some((given) => given.startsWith('--input-type'));
  const worker = new threads.Worker(new URL(url), evaluated ? { execArgv: [] } : {});
  worker.on('message', onMessage);
  worker.on('messageerror', () => onEnd('an answer that cannot be read'));
  worker.on('error', ({ message }: Error) => onEnd(message));
  worker.on('exit', (code) => onEnd(`exit code ${code}`));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    keepAlive: (needed) => (needed ? worker.ref() : worker.unref()),
    ended: () => {
      // Bun's answer is always zero.
      const loop = likeNode() ? undefined : worker.performance?.eventLoopUtilization?.();
      // A worker that has ended has an idle time of -1, or only zeros once Node has noticed its end.
      return loop !== undefined && (loop.idle < 0 || loop.active === 0);
    },
    terminate: () => void worker.terminate(),
  };
}

/** The worker's side: calls `receive` for each message, with a function that posts. */
export function serve(
  receive: (message: unknown, post: (message: unknown, transfer: ArrayBuffer[]) => void) => Promise<void>,
): void {
  const post = (message: unknown, transfer: ArrayBuffer[]): void => port.postMessage(message, transfer);
  interface Port {
    postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  }
  const inNode = nodeThreads()?.parentPort;
  const port = (inNode ?? globalThis) as Port;
  if (inNode) inNode.on('message', (message: unknown) => void receive(message, post));
  else globalThis.addEventListener('message', ({ data }: MessageEvent<unknown>) => void receive(data, post));
}
