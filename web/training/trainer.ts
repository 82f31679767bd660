/** The page's side: starts runs in a worker and receives their messages. */
import type { Ended, Failed, FromWorker, Port, Started, ToWorker } from './protocol.js';
import type { TrainingSettings } from './settings.js';
import type { Progress } from './train.js';

/** Handlers for messages about the latest run. Once it is cancelled, only `ended` is called. */
export interface TrainerHandlers {
  started?(started: Started): void;
  progress?(progress: Progress): void;
  paused?(): void;
  resumed?(): void;
  ended?(ended: Ended): void;
  failed?(failed: Pick<Failed, 'message'>): void;
}

/** The part of a worker that a `Trainer` needs. */
export interface TrainingWorker extends Port<ToWorker, FromWorker> {
  onerror: ((event: { readonly message?: string }) => void) | null;
  terminate(): void;
}

/** Milliseconds after which a worker that does not answer is terminated; it answers after the current step. */
const CANCEL_TIMEOUT = 250;

/**
 * Trains in a worker, which the first `start` creates and later ones reuse.
 *
 * @example
 * const trainer = new Trainer(startWorker, { progress: ({ step, loss }) => draw(step, loss) });
 * trainer.start({ task: 'reverse', positions: 'learned' });
 */
export class Trainer {
  readonly #createWorker: () => TrainingWorker;
  readonly #handlers: TrainerHandlers;
  #worker: TrainingWorker | undefined;
  #run = 0;
  #state: 'idle' | 'running' | 'cancelling' = 'idle';
  #steps = 0;
  #cancelTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(createWorker: () => TrainingWorker, handlers: TrainerHandlers) {
    this.#createWorker = createWorker;
    this.#handlers = handlers;
  }

  /** Whether a run has started and not ended, even if it is paused. */
  get running(): boolean {
    return this.#state === 'running';
  }

  /**
   * Starts a run and ends the current one. At the end, the run is also evaluated at `lengths`. `failed` reports wrong
   * settings.
   */
  start(settings: Partial<TrainingSettings>, lengths: readonly number[] = []): void {
    // A worker that has not answered a cancel would not answer the start either.
    if (this.#state === 'cancelling') this.#terminate();
    this.#worker ??= this.#connect();
    this.#state = 'running';
    this.#steps = 0;
    this.#worker.postMessage({ type: 'start', run: ++this.#run, settings, lengths });
  }

  /** Pauses the run after the current step. */
  pause(): void {
    this.#tell('pause');
  }

  /** Resumes a paused run. */
  resume(): void {
    this.#tell('resume');
  }

  /**
   * Ends the run after the current step and then calls `ended`; no more progress is reported. A worker that does not
   * answer is terminated.
   */
  cancel(): void {
    if (this.#state !== 'running') return;
    this.#tell('cancel');
    this.#state = 'cancelling';
    this.#cancelTimer = setTimeout(() => {
      this.#terminate();
      this.#handlers.ended?.({ type: 'ended', run: this.#run, reason: 'cancelled', steps: this.#steps });
    }, CANCEL_TIMEOUT);
  }

  /** Terminates the worker without calling any handler. `start` creates a new one. */
  dispose(): void {
    this.#terminate();
  }

  #tell(type: 'pause' | 'resume' | 'cancel'): void {
    if (this.#state === 'running') this.#worker?.postMessage({ type, run: this.#run });
  }

  #connect(): TrainingWorker {
    const worker = this.#createWorker();
    worker.onmessage = ({ data }) => this.#hear(data);
    // The worker's script failed or could not be loaded.
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
    clearTimeout(this.#cancelTimer);
    this.#state = 'idle';
  }

  #terminate(): void {
    this.#rest();
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
