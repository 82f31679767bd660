/**
 * wasm-attention in a worker: the same API, asynchronous, so that a page stays responsive while it computes.
 *
 * @example
 * import { loadWorker } from 'wasm-attention/worker';
 * const attention = await loadWorker();
 * const { output } = await attention.with({ signal }).scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import { checkOptions, type Known } from './check/options.js';
import { tagOf, wrongKind } from './check/values.js';
import { LOAD_OPTIONS, type LoadOptions } from './loadOptions.js';
import { OPEN_MODEL } from './models/types.js';
import { disposeSymbol } from './runtime/dispose.js';
import { Connection } from './worker/connection.js';
import { createHandle } from './worker/handle.js';
import { openInWorker } from './worker/model.js';
import type { WorkerSource } from './runtime/port.js';
import type { AsyncWasmAttention } from './worker/types.js';

export type * from './api.js';
export type { WorkerSource } from './runtime/port.js';
export type { CallOptions } from './worker/job.js';
export type { Progress, ProgressListener } from './worker/progress.js';
export type { AsyncModel, AsyncModelCache, InWorker } from './worker/modelTypes.js';
export type { Asynchronous, AsyncWasmAttention, Handle } from './worker/types.js';

export interface LoadWorkerOptions extends LoadOptions {
  /**
   * The address of the worker's script, or a function that starts the worker. Default: `worker-thread.js` next to this
   * file, which bundlers find; the package exports it as `wasm-attention/worker-thread`.
   */
  worker?: WorkerSource;
}

const OPERATION = 'loadWorker';
const OPTIONS: Known<LoadWorkerOptions> = { ...LOAD_OPTIONS, worker: 1 };

/**
 * Starts a new worker on each call and loads the module in it. Every function of `WasmAttention` returns a promise
 * here, layers are made by `await new attention.MultiHeadAttention(…)`, and calls run one at a time, in order.
 * Errors have the same class and message as those of the synchronous functions.
 *
 * `with` sets options for calls: a `signal` that cancels them, `transfer` to hand memory over instead of copying it,
 * and `onProgress` to learn how many are done.
 *
 * @param options the options of `load`; a Response in `wasm` is read once and kept, in case the worker has to be
 *   replaced
 * @throws TypeError if the worker's script does not load, RangeError in an engine without workers
 * @example
 * const attention = await loadWorker();
 * const layer = await new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 4 });
 * const { output } = await layer.with({ signal: AbortSignal.timeout(1000) }).forward(x, x, x);
 */
export async function loadWorker(options?: LoadWorkerOptions): Promise<AsyncWasmAttention> {
  const { worker, wasm, ...rest } = checkOptions(OPERATION, options, OPTIONS);
  if (worker !== undefined && !['string', 'function'].includes(typeof worker) && tagOf(worker) !== 'URL') {
    wrongKind(OPERATION, 'worker to be a URL or a function that starts one', worker);
  }
  const connection = new Connection(worker, {
    ...rest,
    ...(wasm !== undefined && { wasm: await portable(wasm) }),
  });
  const description = await connection.start();
  const dispose = (): void => connection.dispose();
  const module = { thread: undefined, id: 0, label: '' };
  return createHandle(connection, module, description, {}, (options) => ({
    dispose,
    [disposeSymbol]: dispose,
    [OPEN_MODEL]: openInWorker(connection, module, options),
  })) as AsyncWasmAttention;
}

/** The wasm in a form that can be sent to a worker: an absolute address, or bytes. */
async function portable(wasm: NonNullable<LoadOptions['wasm']>): Promise<unknown> {
  const source = await wasm;
  if (typeof source === 'string') return new URL(source, globalThis.document?.baseURI).href;
  const tag = tagOf(source);
  if (tag === 'URL') return (source as URL).href;
  // For anything else, and for a failed response, the library in the worker reports the error.
  if (tag !== 'Response' || !(source as Response).ok) return source;
  try {
    return await (source as Response).arrayBuffer();
  } catch (cause) {
    const { message } = cause as Error;
    throw new RangeError(`${OPERATION}: expected the whole wasm, got ${message}`, { cause });
  }
}
