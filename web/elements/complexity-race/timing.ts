/** How long a point may take, in milliseconds. */
export interface Budget {
  /** Shorter samples consist of several calls, because clocks in browsers tick every 0.1 ms, some every 1 ms. */
  readonly sample: number;
  /** A single call of this length is the measurement. */
  readonly long: number;
  /** Samples are taken until this has passed, at least three. */
  readonly point: number;
}

/** An upper limit, in case samples stay too short for the clock. */
const MOST_SAMPLES = 101;

/** What `measure` found. */
export interface Timing {
  /** The median of the samples, for one call. */
  readonly milliseconds: number;
  /** Samples taken. */
  readonly runs: number;
}

/** The budget of a point of the race. */
export const RACE_BUDGET: Budget = { sample: 5, long: 1000, point: 150 };

/** Times `run`. Short first calls, during which an engine may still be compiling, are left out. */
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
      // Unless the sample before was long by accident, for instance because of a pause.
      if (middle >= budget.sample / 2) return { milliseconds: middle / calls, runs };
      took = middle;
    }
    calls = took > 0 ? Math.ceil(Math.min(8, (1.25 * budget.sample) / took) * calls) : 8 * calls;
  }
}

/** At least three samples, until they have taken `milliseconds`. */
function samples(sample: () => number, milliseconds: number): { middle: number; runs: number } {
  const all: number[] = [];
  for (let spent = 0; all.length < 3 || (spent < milliseconds && all.length < MOST_SAMPLES);) {
    const took = sample();
    all.push(took);
    spent += took;
  }
  return { middle: median(all), runs: all.length };
}

/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[half - 1 + (sorted.length % 2)], sorted[half]];
  return (low + high) / 2;
}
