/** The messages between a page and the worker that trains. A worker has one run at a time. */
import type { TrainingSettings } from './settings.js';
import type { Progress } from './train.js';

/** `run` is the page's number for a run. A message about an ended run is ignored. */
export type ToWorker =
  /** Ends the current run, if there is one, and starts another. */
  | {
      readonly type: 'start';
      readonly run: number;
      readonly settings: Partial<TrainingSettings>;
      /** Other lengths of sequences on which to evaluate the model at the end; multiples of the vocabulary. */
      readonly lengths?: readonly number[];
    }
  | { readonly type: 'pause' | 'resume' | 'cancel'; readonly run: number };

/** The run has started. The settings include the defaults. */
export interface Started {
  readonly type: 'started';
  readonly run: number;
  readonly settings: TrainingSettings;
  /** The accuracy that is possible without knowing the order. */
  readonly chance: number;
  /** The number of trainable numbers. */
  readonly parameterCount: number;
}

/** The run has ended. This is its last message. */
export interface Ended {
  readonly type: 'ended';
  readonly run: number;
  readonly reason: 'finished' | 'cancelled';
  readonly steps: number;
  /** On held-out sequences; absent if the run was cancelled. */
  readonly accuracy?: number;
  /** The accuracy at each requested length; undefined if there are no positions for it. */
  readonly accuracies?: readonly (number | undefined)[];
}

/** The run has failed, because of wrong settings or a lack of memory. This is its last message. */
export interface Failed {
  readonly type: 'failed';
  readonly run: number;
  readonly message: string;
}

export type FromWorker =
  | Started
  /** One per step. */
  | { readonly type: 'progress'; readonly run: number; readonly progress: Progress }
  /** While a run is paused it sends no progress. */
  | { readonly type: 'paused' | 'resumed'; readonly run: number }
  | Ended
  | Failed;

/** One end of a channel: a worker's `self`, a `Worker`, a `MessagePort`. */
export interface Port<Out, In> {
  postMessage(message: Out, transfer?: Transferable[]): void;
  onmessage: ((event: { readonly data: In }) => void) | null;
}
