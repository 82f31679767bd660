import type { RaceMessage, RacePoint } from './messages.js';
import type { Entry, Size } from './plan.js';
import { startRaceWorker } from './race-worker.js';
import type { Timing } from './timing.js';

/** The state of a race. */
export type RaceState = 'waiting' | 'running' | 'done' | 'cancelled' | 'unavailable';

/** Runs races in workers and keeps their results. Calls `changed` when the figure has to render again. */
export class RaceRun {
  state: RaceState = 'waiting';
  /** Measured points, and all points. */
  progress = { behind: 0, all: 0 };
  /** The point being measured. */
  current: RacePoint | undefined;
  /** Points skipped because they would have taken too long. */
  omitted = 0;
  /** When the last point was measured. */
  measuredAt: Date | undefined;
  readonly #timings = new Map<string, Timing>();
  readonly #leftOut = new Set<string>();
  #worker: Worker | undefined;
  /** Points of workers that have not started yet, grouped by worker. */
  #waiting: RacePoint[][] = [];

  constructor(private readonly changed: () => void) {}

  /** A point's time, if it has been measured. */
  timing(entry: Entry, size: Size): Timing | undefined {
    return this.#timings.get(keyOf(entry, size));
  }

  /** Whether a race would measure the point: it has no time and was not skipped. */
  lacks(entry: Entry, size: Size): boolean {
    const key = keyOf(entry, size);
    return !this.#timings.has(key) && !this.#leftOut.has(key);
  }

  /** Runs a race, after ending the previous one, with one worker per number of threads, one after another. */
  start(points: readonly RacePoint[]): void {
    this.#end('running');
    this.progress = { behind: 0, all: points.length };
    this.omitted = 0;
    const counts = [...new Set(points.map(({ threads }) => threads))];
    this.#waiting = counts.map((count) => points.filter(({ threads }) => threads === count));
    this.#next();
  }

  /** Starts the next worker, or ends the race. */
  #next(): void {
    this.#worker?.terminate();
    const points = this.#waiting.shift();
    const threads = points?.[0]?.threads ?? 1;
    if (points === undefined) {
      this.#end('done');
      return;
    }
    // If more threads are not available, the results of one thread remain.
    const failed = (): void => this.#end(threads > 1 ? 'done' : 'unavailable');
    try {
      const worker = startRaceWorker();
      // A message that the worker sent before it was terminated may still arrive.
      worker.addEventListener('message', ({ data }: MessageEvent<RaceMessage>) => {
        if (worker !== this.#worker) return;
        if (data.type === 'failed') failed();
        else this.#take(data);
      });
      // The worker's script is missing, or a policy forbids it.
      worker.addEventListener('error', () => {
        if (worker === this.#worker) failed();
      });
      this.#worker = worker;
      worker.postMessage({ threads, points });
    } catch {
      failed();
    }
    this.changed();
  }

  /** Stops the race; results remain. */
  cancel(): void {
    if (this.state === 'running') this.#end('cancelled');
  }

  /** Drops all results. */
  clear(): void {
    this.#timings.clear();
    this.#leftOut.clear();
    this.measuredAt = undefined;
    this.#end('waiting');
  }

  #take(message: Exclude<RaceMessage, { type: 'failed' }>): void {
    switch (message.type) {
      case 'started':
        this.current = message.point;
        break;
      case 'omitted':
        this.#leftOut.add(keyOf(message.point, message.point.size));
        ++this.omitted;
        ++this.progress.behind;
        break;
      case 'measured':
        this.#timings.set(keyOf(message.point, message.point.size), message.timing);
        this.measuredAt = new Date();
        ++this.progress.behind;
        break;
      case 'done':
        this.#next();
        return;
    }
    this.changed();
  }

  #end(state: RaceState): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting = [];
    this.current = undefined;
    this.state = state;
    this.changed();
  }
}

/** Only convolutions depend on the kernel's width. */
function keyOf({ contestant, threads }: Entry, { n, d, k }: Size): string {
  return [contestant, threads, n, d, contestant === 'cnn' ? k : 0].join();
}
