/** How far calls have come that were made with the same function. */

export interface Progress {
  /** Calls that have an answer, an error, or were given up. */
  readonly done: number;
  /** Calls made so far. */
  readonly total: number;
}

export type ProgressListener = (progress: Progress) => void;

const counts = new WeakMap<ProgressListener, { done: number; total: number }>();

/** Counts one call more; what is returned is to be called once, when it has ended. */
export function countCall(listener: ProgressListener): () => void {
  const count = counts.get(listener) ?? { done: 0, total: 0 };
  counts.set(listener, count);
  ++count.total;
  return () => {
    ++count.done;
    const progress = { ...count };
    // On its own, before what waits for the call: what a listener throws is the page's, as of an event's.
    queueMicrotask(() => listener(progress));
  };
}
