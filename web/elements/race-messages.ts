import type { Contestant, Size } from './race-plan.js';
import type { Timing } from './race-timing.js';

/** One thing to measure. */
export interface RacePoint {
  readonly contestant: Contestant;
  readonly size: Size;
  readonly multiplyAdds: number;
}

/** From the page to the worker. */
export interface RaceOrder {
  readonly points: readonly RacePoint[];
}

/** From the worker to the page. */
export type RaceMessage =
  | { readonly type: 'started' | 'omitted'; readonly contestant: Contestant; readonly size: Size }
  | {
      readonly type: 'measured';
      readonly contestant: Contestant;
      readonly size: Size;
      readonly timing: Timing;
    }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string };
