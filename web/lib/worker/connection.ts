/** The page's side of a worker: it sends one request at a time, and starts a new worker when one has ended. */
import { tagOf, wrongKind } from '../check/values.js';
import { startThread, type Script, type Thread, type WorkerSource } from '../runtime/port.js';
import { prepare, type CallOptions, type Given, type Job, type Listeners, type Reference } from './job.js';
import { countCall } from './progress.js';
import {
  NEVER_BEGAN,
  thrown,
  type Answer,
  type Description,
  type Leave,
  type Part,
  type Request,
  type Wanted,
} from './wire.js';

const OPERATION = 'loadWorker';
const SCRIPT: Script = {
  file: 'worker-thread.js',
  start: () => new Worker(new URL('../worker-thread.ts', import.meta.url), { type: 'module' }),
};

export class Connection {
  readonly #source: WorkerSource | undefined;
  readonly #loadOptions: unknown;
  readonly #queue: Job[] = [];
  #running: Job | undefined;
  #thread: Thread | undefined;
  #disposed = false;
  #generation = 0;
  /** What is called before a request that uses the cache of this number. */
  readonly #watched = new Map<number, () => void>();

  constructor(source: WorkerSource | undefined, loadOptions: unknown) {
    this.#source = source;
    this.#loadOptions = loadOptions;
  }

  /** Starts the worker and describes the loaded module. */
  async start(): Promise<Description> {
    const { body } = (await this.#load()).packed;
    return (body as { module: Description }).module;
  }

  /** Queues a request. The arguments are copied or handed over before this returns. */
  request(
    action: Request['action'],
    target: Reference,
    name: string,
    args: readonly unknown[],
    { signal, transfer, onProgress }: CallOptions = {},
    listeners: Listeners = {},
  ): Promise<Given> {
    return new Promise((resolve, reject) => {
      if (this.#disposed) throw new TypeError(`${target.label}: expected a worker in use, got a disposed one`);
      if (onProgress !== undefined && typeof onProgress !== 'function') {
        wrongKind(target.label, 'onProgress to be a function', onProgress);
      }
      if (signal !== undefined && tagOf(signal) !== 'AbortSignal') {
        wrongKind(target.label, 'signal to be an AbortSignal', signal);
      }
      signal?.throwIfAborted();
      const prepared = prepare(action, target, name, args, transfer);
      const reads = action === 'get' || action === 'release';
      for (const { id } of reads ? [] : prepared.references) this.#watched.get(id)?.();
      const abort = (): void => this.#abort(job, signal!.reason as Error);
      const ended = onProgress && countCall(onProgress);
      const settled = (): void => {
        signal?.removeEventListener('abort', abort);
        ended?.();
      };
      const job: Job = {
        ...prepared,
        ...listeners,
        resolve: (given) => {
          settled();
          resolve(given);
        },
        reject: (reason) => {
          settled();
          reject(reason);
        },
      };
      signal?.addEventListener('abort', abort);
      this.#queue.push(job);
      this.#next();
    });
  }

  /** A new number for a generation. */
  numberGeneration(): number {
    return ++this.#generation;
  }

  /** Calls a function before any other request that uses a cache. Returns a function that ends this. */
  watchCache(cache: Reference, interrupt: () => void): () => void {
    this.#watched.set(cache.id, interrupt);
    return () => {
      if (this.#watched.get(cache.id) === interrupt) this.#watched.delete(cache.id);
    };
  }

  /** Leaves the generation whose tokens go to `onPart`, after so many tokens. If it has not begun, it never will. */
  leave(generation: number, onPart: Job['onPart'], taken: number): void {
    const place = this.#queue.findIndex((job) => job.onPart === onPart);
    if (place >= 0) for (const job of this.#queue.splice(place, 1)) job.reject(NEVER_BEGAN);
    else this.#thread?.post({ leave: generation, taken } satisfies Leave, []);
  }

  /** Releases an object whose handle was garbage-collected. */
  release(reference: Reference): void {
    // Queued, because waiting requests may use the object.
    if (reference.thread === this.#thread) this.request('release', reference, '', []).catch(() => undefined);
  }

  dispose(): void {
    this.#disposed = true;
    this.#end('a disposed one');
    for (const job of this.#queue.splice(0))
      job.reject(new TypeError(`${job.references[0]!.label}: expected a worker in use, got a disposed one`));
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#queue.shift();
    if (!job) {
      // An idle worker does not keep the process alive.
      this.#thread?.keepAlive(false);
      return;
    }
    if (!this.#thread) {
      this.#queue.unshift(job);
      this.#load().catch(() => undefined);
      return;
    }
    const lost = job.references.find(({ thread }) => thread !== undefined && thread !== this.#thread);
    if (lost) {
      job.reject(new TypeError(`${lost.label}: expected an object in use, got one lost with its worker`));
      this.#next();
    } else {
      this.#send(job);
    }
  }

  #load(): Promise<Given> {
    return new Promise((resolve, reject) => {
      const thread = startThread(SCRIPT, this.#source, {
        onMessage: (message) => this.#receive(thread, message as Answer | Part | Wanted),
        onEnd: (reason) => {
          if (thread === this.#thread) this.#end(reason);
        },
      });
      this.#thread = thread;
      const args = { body: [this.#loadOptions], tokens: [] };
      const request: Request = { action: 'load', id: 0, name: '', args };
      const references = [{ thread, id: 0, label: OPERATION }];
      const fail = (reason: Error): void => {
        // The next call tries again.
        if (thread === this.#thread) this.#thread = undefined;
        thread.terminate();
        for (const waiting of this.#queue.splice(0)) waiting.reject(reason);
        reject(reason);
      };
      this.#send({ request, transfer: [], references, resolve, reject: fail });
    });
  }

  #send(job: Job): void {
    this.#running = job;
    this.#thread!.keepAlive(true);
    this.#thread!.post(job.request, job.transfer);
  }

  #receive(thread: Thread, message: Answer | Part | Wanted): void {
    if (thread !== this.#thread) return;
    const job = this.#running!;
    if ('part' in message) {
      job.onPart?.(message.part);
      return;
    }
    if ('want' in message) {
      void job.onWant!(message.want).then((bytes) => thread.post({ bytes }, bytes.buffer ? [bytes.buffer] : []));
      return;
    }
    const { result, error } = message;
    this.#running = undefined;
    if (result) job.resolve({ packed: result, thread });
    else job.reject(thrown(error));
    this.#next();
  }

  #abort(job: Job, reason: Error): void {
    const place = this.#queue.indexOf(job);
    if (place >= 0) this.#queue.splice(place, 1);
    job.reject(reason);
    if (job === this.#running) {
      this.#running = undefined;
      this.#end('');
    }
  }

  /** Ends the worker if it is still running, and starts a new one if requests are waiting. */
  #end(reason: string): void {
    const thread = this.#thread;
    const job = this.#running;
    this.#thread = this.#running = undefined;
    thread?.terminate();
    job?.reject(new TypeError(`${job.references[0]!.label}: expected a worker in use, got ${reason}`));
    if (!this.#disposed && this.#queue.length > 0) this.#next();
  }
}
