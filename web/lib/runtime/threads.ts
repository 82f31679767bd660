/**
 * The module on several threads: one instance here and one in each worker, over one shared memory. This file starts and
 * watches the workers; cpp/kernels/pool.cpp runs the loops.
 */
import { featuresOf, instantiateCore } from './embind.js';
import { INITIAL_MEMORY, MAXIMUM_MEMORY, STACK_SIZE } from '../generated/limits.js';
import { StreamingMemory } from './streamingMemory.js';
import { startThread, type Script, type Thread } from './port.js';
import type { Features, Raw, Wasm } from './wasm.js';

/** The message that starts a worker of the pool. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** The address of the top of its stack. */
  readonly stack: number;
  readonly thread: number;
}

/** Functions that only the module for several threads has. */
interface Pool {
  setThreadCount(count: number): void;
  /** A C++ bool: 0 or 1. */
  threadsFailed(): number;
}

const SCRIPT: Script = {
  file: 'thread.js',
  start: () => new Worker(new URL('./thread.ts', import.meta.url), { type: 'module' }),
};
const PAGE = 2 ** 16;
/** How long a worker's script may take to load, in milliseconds. */
const TIMEOUT = 10_000;

// Ends the threads of a module that was garbage-collected after a `load` with `fresh`.
const registry = new FinalizationRegistry(end);

function end(threads: readonly Thread[]): void {
  for (const thread of threads) thread.terminate();
}

/**
 * Makes a function that falls back to one thread. Workers hold it, so it must not close over the module, which would
 * then never be collected.
 */
function stopOf(threads: readonly Thread[], features: Features, pool: WeakRef<Pool>): () => void {
  return () => {
    pool.deref()?.setThreadCount(1);
    end(threads);
    features.threads = 1;
  };
}

/**
 * Loads the module for `count` threads, including the caller's, and with `loadSingle` the one for a single thread. The
 * latter comes first: if it fails there are no workers to end, and the shared memory may use up the address space.
 *
 * @throws if there is no shared memory, a file does not arrive, or a worker does not start; then all workers are ended
 */
export async function instantiateThreads(
  count: number,
  loadSingle: () => Promise<Wasm>,
  compile: () => Promise<WebAssembly.Module>,
): Promise<Wasm> {
  if (typeof SharedArrayBuffer === 'undefined') {
    const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
    throw new Error(
      crossOriginIsolated === false
        ? 'a page that is not cross-origin isolated'
        : 'an engine without SharedArrayBuffer',
    );
  }
  const threads: Thread[] = [];
  const [module, unshared] = await Promise.all([compile(), loadSingle()]);
  const shared = reserve(MAXIMUM_MEMORY / PAGE);
  const raw = await instantiateCore(module, {
    memory: shared,
    copy_inputs: (first: number, end: number, total: number) => memory.copyInputs(first, end, total),
    copy_output: (end: number, total: number) => memory.copyOutput(end, total),
    lost_thread: () => Number(threads.some((thread) => thread.ended())),
  });
  const pool = raw as unknown as Pool;
  const restore = raw.restore.bind(raw);
  raw.restore = () => {
    restore();
    // Waits for threads that are still working on a call that has ended in an exception.
    pool.setThreadCount(features.threads);
  };
  const memory = new StreamingMemory(raw);
  const features: Features = { ...featuresOf(raw), threads: count };
  const stop = stopOf(threads, features, new WeakRef(pool));
  registry.register(raw, threads);
  try {
    await Promise.all(
      Array.from({ length: count - 1 }, (_, i) => {
        const stack = raw.malloc(STACK_SIZE);
        if (stack === 0) throw new Error('out of memory');
        // Stacks grow down and are aligned to 16 bytes.
        const top = ((stack >>> 0) + STACK_SIZE - 16) & -16;
        return start({ module, memory: shared, stack: top, thread: i + 1 }, threads, stop);
      }),
    );
  } catch (error) {
    stop();
    throw error;
  }
  pool.setThreadCount(count);
  return { raw: watched(raw, pool, memory, stop), memory, features, unshared };
}

/**
 * A shared memory of at most so many pages. Engines reserve them all at once, which phones refuse for 4 GiB.
 *
 * @throws RangeError if the engine refuses even 256 MiB
 */
function reserve(maximum: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: INITIAL_MEMORY / PAGE, maximum, shared: true });
  } catch (error) {
    const half = Math.ceil(maximum / 2);
    if (half * PAGE < 2 ** 28) throw error;
    return reserve(half);
  }
}

/** Starts a worker; resolves when it is ready. Calls `onDeath` if it ends later. */
function start(message: ThreadStart, threads: Thread[], onDeath: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error('a worker that does not answer'));
    // If the caller was busy until the timeout, an answer that is already queued is read before the second timer fires.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp);
    }, TIMEOUT);
    let serving = false;
    const thread = startThread(SCRIPT, undefined, {
      onMessage: () => {
        clearTimeout(timer);
        serving = true;
        thread.keepAlive(false);
        resolve();
      },
      onEnd: (reason) => {
        clearTimeout(timer);
        if (serving) onDeath();
        else reject(new Error(reason));
      },
    });
    threads.push(thread);
    thread.post(message, []);
  });
}

/** Wraps the module's functions: they throw if a thread has died during the call, and later calls use one thread. */
function watched(raw: Raw, pool: Pool, memory: StreamingMemory, stop: () => void): Raw {
  const functions = raw as unknown as Record<string, (...args: number[]) => unknown>;
  for (const name of Object.keys(functions)) {
    const call = functions[name];
    if (typeof call !== 'function' || name in UNWATCHED) continue;
    functions[name] = (...args) => {
      const result = memory.call(name, () => call(...args));
      if (!pool.threadsFailed()) return result;
      stop();
      throw new Error(
        `${name}: expected every thread to answer, got one that died; later calls use one thread, load({ fresh: true, threads }) starts new ones`,
      );
    };
  }
  return raw;
}

const UNWATCHED: Readonly<Record<keyof Pool | 'malloc' | 'free' | 'restore', true>> = {
  setThreadCount: true,
  threadsFailed: true,
  malloc: true,
  free: true,
  restore: true,
};
