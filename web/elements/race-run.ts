import type { RaceMessage, RacePoint } from './race-messages.js';
import type { Contestant, Size } from './race-plan.js';
import type { Timing } from './race-timing.js';

/** What a race stands at. */
export type RaceState = 'waiting' | 'running' | 'done' | 'cancelled' | 'unavailable';

/** Races in a worker, and what they measured. Calls `changed` whenever there is something new to show. */
export class RaceRun {
  state: RaceState = 'waiting';
  /** Points behind, and all points. */
  progress = { behind: 0, all: 0 };
  /** What is being measured. */
  current: { readonly contestant: Contestant; readonly size: Size } | undefined;
  /** Points left out because they would have taken too long. */
  omitted = 0;
  /** When the last point was measured. */
  measuredAt: Date | undefined;
  readonly #timings = new Map<string, Timing>();
  #worker: Worker | undefined;

  constructor(private readonly changed: () => void) {}

  /** The time of a point, where it has been measured. */
  timing(contestant: Contestant, size: Size): Timing | undefined {
    return this.#timings.get(keyOf(contestant, size));
  }

  /** Runs a race, in place of one that is running. */
  start(points: readonly RacePoint[]): void {
    this.#end('running');
    this.progress = { behind: 0, all: points.length };
    this.omitted = 0;
    try {
      const worker = new Worker(new URL('./complexity-race-worker.ts', import.meta.url), { type: 'module' });
      // What a worker said before it was ended may arrive after.
      worker.addEventListener('message', ({ data }: MessageEvent<RaceMessage>) => {
        if (worker === this.#worker) this.#take(data);
      });
      // The worker's script is missing, or a policy forbids it.
      worker.addEventListener('error', () => {
        if (worker === this.#worker) this.#end('unavailable');
      });
      this.#worker = worker;
      worker.postMessage({ points });
    } catch {
      this.#end('unavailable');
    }
    this.changed();
  }

  /** Stops at once; what has been measured stays. */
  cancel(): void {
    if (this.state === 'running') this.#end('cancelled');
  }

  /** Forgets everything. */
  clear(): void {
    this.#timings.clear();
    this.measuredAt = undefined;
    this.#end('waiting');
  }

  #take(message: RaceMessage): void {
    switch (message.type) {
      case 'started':
        this.current = message;
        break;
      case 'omitted':
        ++this.omitted;
        ++this.progress.behind;
        break;
      case 'measured':
        this.#timings.set(keyOf(message.contestant, message.size), message.timing);
        this.measuredAt = new Date();
        ++this.progress.behind;
        break;
      case 'done':
        this.#end('done');
        return;
      case 'failed':
        this.#end('unavailable');
        return;
    }
    this.changed();
  }

  #end(state: RaceState): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.current = undefined;
    this.state = state;
    this.changed();
  }
}

/** The kernel's width matters to convolutions only. */
function keyOf(contestant: Contestant, { n, d, k }: Size): string {
  return [contestant, n, d, contestant === 'cnn' ? k : 0].join();
}
