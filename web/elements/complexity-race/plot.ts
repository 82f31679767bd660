import { crossing, multiplyAdds, sizesAlong, type Entry, type Point } from './plan.js';
import { entryName, type RaceView } from './view.js';

/** At this rate of multiply–adds per second the two vertical axes coincide. */
export const REFERENCE_RATE = 1e10;

/**
 * A contestant's curve of counts and dots of measured times. Both are in multiply–adds; times are converted at the
 * reference rate. On several threads there are only dots, because the count is the same.
 */
export interface RaceCurve extends Entry {
  readonly label: string;
  /** The name beside a dot. */
  readonly brief: string;
  readonly counted: readonly Point[];
  readonly measured: readonly Point[];
}

/** Everything in the plot. */
export interface RacePlot {
  readonly width: number;
  readonly curves: readonly RaceCurve[];
  /** Where attention’s count crosses the others. Measured times cross several times in their noise. */
  readonly crossings: readonly Point[];
  /** The size of the table. */
  readonly chosen: number;
  readonly axisName: string;
  readonly countName: string;
  readonly timeName: string;
  readonly number: (value: number) => string;
}

/** Counts and times along the axis, and where they cross. */
export function racePlot(view: RaceView, width: number): RacePlot {
  const { library, words, size: chosen, axis } = view;
  const sizes = sizesAlong(axis, chosen);
  const curve = (entry: Entry): RaceCurve => ({
    ...entry,
    label: entryName(words, entry),
    brief: entry.threads > 1 ? words.text('race.onThreads', { threads: entry.threads }) : entryName(words, entry),
    counted:
      entry.threads > 1
        ? []
        : sizes.map((size) => ({ x: size[axis], y: multiplyAdds(library, entry.contestant, size) })),
    measured: sizes.flatMap((size) => {
      const timing = view.timing(entry, size);
      if (timing === undefined) return [];
      return [{ x: size[axis], y: (timing.milliseconds / 1000) * REFERENCE_RATE }];
    }),
  });
  const curves = view.entries
    .map(curve)
    // A single time is no curve, and only entries on one thread have a count.
    .filter(({ threads, measured }) => threads === 1 || measured.length > 1);
  const [cnn, rnn, attention] = curves;
  const crossings = [cnn, rnn].flatMap((other) => crossing(attention?.counted ?? [], other?.counted ?? []) ?? []);
  return {
    width,
    curves,
    crossings,
    chosen: chosen[axis],
    axisName: words.text(axis === 'n' ? 'race.tokens' : 'encoding.width'),
    countName: words.text('race.multiplyAdds'),
    timeName: words.text('race.time'),
    number: (value) => words.number(value),
  };
}
