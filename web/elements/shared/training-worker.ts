// The package does not export this.
import { startWebWorker } from '../../lib/runtime/port.js';
import type { TrainingWorker } from '../../training/index.js';

/** Starts the worker that trains. */
export function startTrainingWorker(): TrainingWorker {
  const worker = startWebWorker({
    file: 'elements/training-worker.js',
    start: () => new Worker(new URL('../../training/worker.ts', import.meta.url), { type: 'module' }),
  });
  return worker as unknown as TrainingWorker;
}
