/** Counts the calls that are given the same `onProgress`. */

export interface Progress {
  /** Calls that have succeeded, failed or been cancelled. */
  readonly done: number;
  /** Calls made so far. */
  readonly total: number;
}

export type ProgressListener = (progress: Progress) => void;

const counts = new WeakMap<ProgressListener, { done: number; total: number }>();

/** Counts a call; returns a function to be called once, when it has ended. */
export function countCall(listener: ProgressListener): () => void {
  const count = counts.get(listener) ?? { done: 0, total: 0 };
  counts.set(listener, count);
  ++count.total;
  return () => {
    ++count.done;
    const progress = { ...count };
    // A microtask, so that an exception of the listener does not fail the call; it runs before the code that awaits it.
    queueMicrotask(() => listener(progress));
  };
}
