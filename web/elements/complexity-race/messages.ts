import type { Entry, Size } from './plan.js';
import type { Timing } from './timing.js';

/** A point to measure. */
export interface RacePoint extends Entry {
  readonly size: Size;
  readonly multiplyAdds: number;
}

/** From the page to the worker: points with the same number of threads. */
export interface RaceOrder {
  readonly threads: number;
  readonly points: readonly RacePoint[];
}

/** From the worker to the page. */
export type RaceMessage =
  | { readonly type: 'started' | 'omitted'; readonly point: RacePoint }
  | { readonly type: 'measured'; readonly point: RacePoint; readonly timing: Timing }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string };
