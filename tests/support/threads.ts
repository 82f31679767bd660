/** Copies of the library with threads, and the workers that they start. */
import { jest } from '@jest/globals';
import type { load } from 'wasm-attention';

const builtins = process.getBuiltinModule('node:worker_threads') as {
  Worker: typeof import('node:worker_threads').Worker;
};
const { Worker } = builtins;

/** A copy of the package in which nothing has been loaded yet. */
export async function fresh(): Promise<{ load: typeof load }> {
  jest.resetModules();
  return import('wasm-attention');
}

/** Replaces Node's Worker by another class. */
export function replaceWorker(replacement: typeof Worker): void {
  builtins.Worker = replacement;
}

export function restoreWorker(): void {
  builtins.Worker = Worker;
}

/** Collects the workers that start from now on; `change` may alter the messages to them. */
export function watchWorkers(change = (message: object): object => message): InstanceType<typeof Worker>[] {
  const workers: InstanceType<typeof Worker>[] = [];
  replaceWorker(
    class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        workers.push(this);
      }
      override postMessage(message: object): void {
        super.postMessage(change(message));
      }
    },
  );
  return workers;
}
