/** How long a point may take, in milliseconds. */
export interface Budget {
  /** Shorter samples consist of several calls, because browser clocks tick every 0.1 ms, some every 1 ms. */
  readonly sample: number;
  /** A single call this long is the measurement. */
  readonly long: number;
  /** At least three samples are taken, until this time has passed. */
  readonly point: number;
}

/** The most samples, in case they stay too short for the clock. */
const MAX_SAMPLES = 101;

/** The result of `measure`. */
export interface Timing {
  /** The median time of one call. */
  readonly milliseconds: number;
  /** The number of samples. */
  readonly runs: number;
}

/** The budget of a point of the race. */
export const RACE_BUDGET: Budget = { sample: 5, long: 1000, point: 150 };

/** Times `run`, without short first calls, during which the engine may still be compiling. */
export function measure(run: () => void, budget: Budget, now: () => number): Timing {
  const sample = (calls: number): number => {
    const start = now();
    for (let call = 0; call < calls; ++call) run();
    return now() - start;
  };
  for (let calls = 1, took = sample(1); ; took = sample(calls)) {
    if (took >= budget.long) return { milliseconds: took / calls, runs: 1 };
    if (took >= budget.sample) {
      const { middle, runs } = samples(() => sample(calls), budget.point);
      // Unless the previous sample was long by accident, for instance because of a pause.
      if (middle >= budget.sample / 2) return { milliseconds: middle / calls, runs };
      took = middle;
    }
    calls = took > 0 ? Math.ceil(Math.min(8, (1.25 * budget.sample) / took) * calls) : 8 * calls;
  }
}

/** Takes at least three samples, until they have taken `milliseconds`. */
function samples(sample: () => number, milliseconds: number): { middle: number; runs: number } {
  const all: number[] = [];
  for (let spent = 0; all.length < 3 || (spent < milliseconds && all.length < MAX_SAMPLES);) {
    const took = sample();
    all.push(took);
    spent += took;
  }
  return { middle: median(all), runs: all.length };
}

/** The median of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[half - 1 + (sorted.length % 2)], sorted[half]];
  return (low + high) / 2;
}
