/** race-worker.ts for single-file builds, which contain the script as text. */
import RaceWorker from './worker.ts?worker&inline';

export const startRaceWorker = (): Worker => new RaceWorker();
