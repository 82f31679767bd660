/** What a page and the worker that trains say to each other. A worker has one run at a time. */
import type { TrainingSettings } from './settings.js';
import type { Progress } from './train.js';

/** `run` is the page's number for a run; a message about a run that is over does nothing. */
export type ToWorker =
  /** Ends the run before, if there is one, and begins. */
  | {
      readonly type: 'start';
      readonly run: number;
      readonly settings: Partial<TrainingSettings>;
      /** Lengths of other sequences to evaluate the model on in the end, multiples of the vocabulary. */
      readonly lengths?: readonly number[];
    }
  | { readonly type: 'pause' | 'resume' | 'cancel'; readonly run: number };

/** Begun: what the defaults made of the settings. */
export interface Started {
  readonly type: 'started';
  readonly run: number;
  readonly settings: TrainingSettings;
  /** The accuracy that can be had without knowing the order. */
  readonly chance: number;
  /** Numbers that training changes. */
  readonly parameterCount: number;
}

/** The run is over; nothing follows about it. */
export interface Ended {
  readonly type: 'ended';
  readonly run: number;
  readonly reason: 'finished' | 'cancelled';
  readonly steps: number;
  /** Where it was finished: on sequences that are kept for evaluation. */
  readonly accuracy?: number;
  /** At each of the lengths asked for; undefined where there are no positions for it. */
  readonly accuracies?: readonly (number | undefined)[];
}

/** The run is over, for settings that cannot be or for want of memory; nothing follows about it. */
export interface Failed {
  readonly type: 'failed';
  readonly run: number;
  readonly message: string;
}

export type FromWorker =
  | Started
  /** One for each step. */
  | { readonly type: 'progress'; readonly run: number; readonly progress: Progress }
  /** No progress follows until the run goes on. */
  | { readonly type: 'paused' | 'resumed'; readonly run: number }
  | Ended
  | Failed;

/** One end of a channel: a worker's `self`, a `Worker`, a `MessagePort`. */
export interface Port<Out, In> {
  postMessage(message: Out, transfer?: Transferable[]): void;
  onmessage: ((event: { readonly data: In }) => void) | null;
}
