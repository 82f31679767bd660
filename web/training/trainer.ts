/** The page's side: starts runs in a worker, and hears of them. */
import type { Ended, Failed, FromWorker, Port, Started, ToWorker } from './protocol.js';
import type { TrainingSettings } from './settings.js';
import type { Progress } from './train.js';

/** What is heard of the run that was started last; never of one before, and of a cancelled one only that it ended. */
export interface TrainerHandlers {
  started?(started: Started): void;
  progress?(progress: Progress): void;
  paused?(): void;
  resumed?(): void;
  ended?(ended: Ended): void;
  failed?(failed: Pick<Failed, 'message'>): void;
}

/** What a `Trainer` needs of a worker. */
export interface TrainingWorker extends Port<ToWorker, FromWorker> {
  onerror: ((event: { readonly message?: string }) => void) | null;
  terminate(): void;
}

/** Starts the worker that trains. */
export function startTrainingWorker(): TrainingWorker {
  // Vite looks for exactly this expression.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  return worker as unknown as TrainingWorker;
}

/** A worker listens between two steps, at most a frame away. One that has not answered after this long is ended by force. */
const PATIENCE = 250;

/**
 * Trains in a worker, which the first `start` creates and later ones use again.
 *
 * @example
 * const trainer = new Trainer(startTrainingWorker, { progress: ({ step, loss }) => draw(step, loss) });
 * trainer.start({ task: 'reverse', positions: 'learned' });
 */
export class Trainer {
  readonly #createWorker: () => TrainingWorker;
  readonly #handlers: TrainerHandlers;
  #worker: TrainingWorker | undefined;
  #run = 0;
  #state: 'idle' | 'running' | 'cancelling' = 'idle';
  #steps = 0;
  #impatience: ReturnType<typeof setTimeout> | undefined;

  constructor(createWorker: () => TrainingWorker, handlers: TrainerHandlers) {
    this.#createWorker = createWorker;
    this.#handlers = handlers;
  }

  /** Whether a run has begun and not ended, paused ones included. */
  get running(): boolean {
    return this.#state === 'running';
  }

  /**
   * Begins a run, in place of the one before, evaluated in the end at `lengths` too. Settings that cannot be are reported by
   * `failed`.
   */
  start(settings: Partial<TrainingSettings>, lengths: readonly number[] = []): void {
    // A worker that does not even hear a cancel would not hear the start either.
    if (this.#state === 'cancelling') this.#terminate();
    this.#worker ??= this.#connect();
    this.#state = 'running';
    this.#steps = 0;
    this.#worker.postMessage({ type: 'start', run: ++this.#run, settings, lengths });
  }

  /** Holds the run after the step it is in. */
  pause(): void {
    this.#tell('pause');
  }

  /** Goes on where `pause` held. */
  resume(): void {
    this.#tell('resume');
  }

  /**
   * Ends the run after the step it is in; `ended` says when. From now on no progress is heard of it. A worker that does not
   * answer is terminated.
   */
  cancel(): void {
    if (this.#state !== 'running') return;
    this.#tell('cancel');
    this.#state = 'cancelling';
    this.#impatience = setTimeout(() => {
      this.#terminate();
      this.#handlers.ended?.({ type: 'ended', run: this.#run, reason: 'cancelled', steps: this.#steps });
    }, PATIENCE);
  }

  /** Ends everything at once, unheard. `start` creates a new worker. */
  dispose(): void {
    this.#terminate();
  }

  #tell(type: 'pause' | 'resume' | 'cancel'): void {
    if (this.#state === 'running') this.#worker?.postMessage({ type, run: this.#run });
  }

  #connect(): TrainingWorker {
    const worker = this.#createWorker();
    worker.onmessage = ({ data }) => this.#hear(data);
    // The worker's script itself failed, or could not be fetched.
    worker.onerror = ({ message = 'the worker did not start' }) => {
      const wasCancelled = this.#state === 'cancelling';
      this.#terminate();
      if (!wasCancelled) this.#handlers.failed?.({ message });
    };
    return worker;
  }

  #hear(message: FromWorker): void {
    if (message.run !== this.#run || this.#state === 'idle') return;
    const over = message.type === 'ended' || message.type === 'failed';
    if (this.#state === 'cancelling' && !over) return;
    if (over) this.#rest();
    switch (message.type) {
      case 'started':
        return this.#handlers.started?.(message);
      case 'progress':
        this.#steps = message.progress.step;
        return this.#handlers.progress?.(message.progress);
      case 'paused':
        return this.#handlers.paused?.();
      case 'resumed':
        return this.#handlers.resumed?.();
      case 'ended':
        return this.#handlers.ended?.(message);
      case 'failed':
        return this.#handlers.failed?.(message);
    }
  }

  #rest(): void {
    clearTimeout(this.#impatience);
    this.#state = 'idle';
  }

  #terminate(): void {
    this.#rest();
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
