/** training-worker.ts for single-file builds, which contain the script as text. */
import type { TrainingWorker } from '../../training/index.js';
import Worker from '../../training/worker.ts?worker&inline';

export const startTrainingWorker = (): TrainingWorker => new Worker() as unknown as TrainingWorker;
