// The package does not export this.
import { startWebWorker } from '../../lib/runtime/port.js';

/** Starts the worker that measures. */
export function startRaceWorker(): Worker {
  return startWebWorker({
    file: 'elements/complexity-race-worker.js',
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  });
}
