import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { POSITIONS, Trainer, type Ended, type Positions } from '../../training/index.js';
import { startTrainingWorker } from '../shared/training-worker.js';
import { onceAFrame } from '../shared/once-a-frame.js';
import { withProgress, type Runs, type RunSettings } from './runs.js';

/** How a run ended: it finished, was cancelled, or failed. */
export type Outcome =
  | (Pick<Ended, 'reason' | 'steps' | 'accuracy'> & { readonly positions: Positions })
  | { readonly reason: 'failed'; readonly message: string };

/**
 * Trains one kind of positions after another in a worker and keeps their curves. It updates its host at most once per
 * frame.
 */
export class TrainingSession implements ReactiveController {
  phase: 'idle' | 'running' | 'paused' = 'idle';
  runs: Runs = new Map();
  /** The runs with the previous settings, shown faintly until there are new ones. */
  before: { readonly settings: RunSettings; readonly runs: Runs } | undefined;
  /** How the previous run ended; undefined once another has begun. */
  outcome: Outcome | undefined;
  readonly #trainer: Trainer;
  /** The positions that are learning, and those that come next. */
  #learning: Positions | undefined;
  #queue: Positions[] = [];
  #settings: RunSettings = { task: 'copy', seed: 1 };
  /** Steps come faster than frames. */
  readonly #drawSoon = onceAFrame(() => this.host.requestUpdate());

  /** `turnTo` is called when the next positions of a queue begin to learn. */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly turnTo: (positions: Positions) => void,
  ) {
    host.addController(this);
    this.#trainer = new Trainer(startTrainingWorker, {
      progress: (progress) => {
        if (this.#learning === undefined) return;
        this.runs = withProgress(this.runs, this.#learning, progress);
        this.#drawSoon();
      },
      paused: () => this.#turn('paused'),
      resumed: () => this.#turn('running'),
      ended: ({ reason, steps, accuracy }) => {
        const positions = this.#learning;
        if (positions === undefined) return;
        this.#end({ reason, steps, positions, ...(accuracy !== undefined && { accuracy }) });
        const next = this.#queue.shift();
        if (next !== undefined) this.#start(next);
      },
      failed: ({ message }) => this.#fail(message),
    });
  }

  hostDisconnected(): void {
    this.forget();
    this.#trainer.dispose();
  }

  /** Trains these positions, one after another. */
  begin(positions: readonly Positions[], settings: RunSettings): void {
    const [first, ...rest] = positions;
    this.#settings = settings;
    this.#queue = rest;
    if (first !== undefined) this.#start(first);
  }

  pause(): void {
    this.#trainer.pause();
  }

  resume(): void {
    this.#trainer.resume();
  }

  /** Ends the current run; its curve remains. */
  cancel(): void {
    this.#queue = [];
    this.#trainer.cancel();
  }

  /**
   * Changes the settings: ends the current run and sets the curves aside. If the new settings are those of the curves
   * set aside before, these are restored.
   */
  setAside({ task, seed }: RunSettings): void {
    const { runs, before } = this;
    this.#stop();
    if (runs.size > 0) this.before = { settings: this.#settings, runs };
    if (before?.settings.task !== task || before.settings.seed !== seed) return;
    this.runs = before.runs;
    this.#settings = before.settings;
  }

  /** Ends the current run and drops all curves. */
  forget(): void {
    this.#stop();
    this.before = undefined;
  }

  #stop(): void {
    this.cancel();
    this.runs = new Map();
    this.#end(undefined);
  }

  #start(positions: Positions): void {
    this.#learning = positions;
    this.outcome = undefined;
    this.turnTo(positions);
    this.#turn('running');
    try {
      this.#trainer.start({ ...this.#settings, positions });
    } catch {
      // The constructor throws if there are no workers or a policy forbids them. Its message would not help a reader.
      this.#fail('');
    }
  }

  #fail(message: string): void {
    this.#queue = [];
    this.#end({ reason: 'failed', message });
  }

  #end(outcome: Outcome | undefined): void {
    this.#learning = undefined;
    this.outcome = outcome;
    this.#turn('idle');
  }

  #turn(phase: typeof this.phase): void {
    this.phase = phase;
    this.host.requestUpdate();
  }
}

/** All kinds, the chosen one first and `none` last: it learns nothing, so it would be a poor start. */
export function trainingOrder(chosen: Positions): readonly Positions[] {
  const others = POSITIONS.filter((each) => each !== chosen && each !== 'none');
  return chosen === 'none' ? [...others, 'none'] : [chosen, ...others, 'none'];
}
