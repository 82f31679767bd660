import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Trainer } from '../../training/index.js';
import { startTrainingWorker } from '../shared/training-worker.js';
import { onceAFrame } from '../shared/once-a-frame.js';
import { COMPARED, COMPUTED, extrapolationSettings, LENGTHS, type Compared, type Curves } from './runs.js';

/** The model that is training, and its step. */
export interface Running {
  readonly positions: Compared;
  step: number;
}

/** The curves of a seed, with faint curves of another seed where they are missing. */
export interface ShownCurves {
  readonly curves: Curves;
  readonly faint: Curves;
  /** The seed of the faint curves. */
  readonly faintOf: number;
}

interface SeededCurves {
  readonly seed: number;
  readonly curves: Curves;
}

/** The curves before any training. */
const FIRST: SeededCurves = { seed: 1, curves: COMPUTED };

/**
 * Trains the five models one after another in a worker, and keeps their curves. It updates its host at most once per
 * frame.
 */
export class ExtrapolationSession implements ReactiveController {
  running: Running | undefined;
  /** Why the last training ended before all models had learned. */
  outcome: 'stopped' | { readonly failed: string } | undefined;
  #last = FIRST;
  /** The last training with all five curves, drawn faintly until replaced. */
  #before = FIRST;
  #queue: Compared[] = [];
  readonly #drawSoon = onceAFrame(() => this.host.requestUpdate());
  readonly #trainer = new Trainer(startTrainingWorker, {
    progress: ({ step }) => {
      if (this.running === undefined) return;
      this.running.step = step;
      this.#drawSoon();
    },
    ended: ({ reason, accuracies }) => {
      if (this.running === undefined) return;
      if (reason === 'cancelled' || accuracies === undefined) {
        this.#rest('stopped');
        return;
      }
      const { seed, curves } = this.#last;
      this.#last = { seed, curves: new Map(curves).set(this.running.positions, accuracies) };
      const next = this.#queue.shift();
      if (next === undefined) this.#rest();
      else this.#train(next);
    },
    failed: ({ message }) => this.#rest({ failed: message }),
  });

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#rest();
    this.#trainer.dispose();
  }

  /** Whether the curves are still the precomputed ones. */
  get untouched(): boolean {
    return this.#last === FIRST;
  }

  shown(seed: number): ShownCurves {
    const last = this.#last;
    const curves: Curves = last.seed === seed ? last.curves : new Map();
    const before = last.seed !== seed && last.curves.size === COMPARED.length ? last : this.#before;
    const faint = new Map([...before.curves].filter(([each]) => !curves.has(each)));
    return { curves, faint, faintOf: before.seed };
  }

  begin(seed: number): void {
    const [first, ...rest] = COMPARED;
    if (this.#last.curves.size === COMPARED.length) this.#before = this.#last;
    this.#last = { seed, curves: new Map() };
    this.outcome = undefined;
    this.#queue = rest;
    this.#train(first);
  }

  /** Ends the training at the reader's request; the figure says so. */
  cancel(): void {
    this.#trainer.cancel();
  }

  /** Ends the training silently. */
  stop(): void {
    this.#trainer.cancel();
    this.#rest();
  }

  /** Ends the training and restores the precomputed curves. */
  forget(): void {
    this.stop();
    this.#last = this.#before = FIRST;
  }

  #train(positions: Compared): void {
    this.running = { positions, step: 0 };
    this.host.requestUpdate();
    try {
      this.#trainer.start(extrapolationSettings(positions, this.#last.seed), LENGTHS);
    } catch {
      // The constructor throws if there are no workers or a policy forbids them. Its message would not help a reader.
      this.#rest({ failed: '' });
    }
  }

  #rest(outcome?: typeof this.outcome): void {
    this.#queue = [];
    this.outcome = outcome;
    this.running = undefined;
    this.host.requestUpdate();
  }
}
