/** race-worker.ts for pages of one file, which have the script as text. */
import RaceWorker from './worker.ts?worker&inline';

export const startRaceWorker = (): Worker => new RaceWorker();
