import { crossing, RANGES } from './plan.js';
import type { RaceCurve, RacePlot } from './plot.js';
import type { RaceView } from './view.js';

type Words = Pick<RaceView, 'words' | 'axis'>;

/** Where attention crosses another curve, as counted or as measured. */
type Where = (kind: 'counted' | 'measured') => number | undefined;

/**
 * Where attention crosses the others: as counted, and as measured where at least two sizes were. That they do not cross as measured
 * is said only once all is measured.
 */
export function crossingsLine({ curves }: Pick<RacePlot, 'curves'>, view: Words, running: boolean): string {
  const sizes = new Set(attentionOf(curves)?.measured.map(({ x }) => x));
  return forOthers(curves, (other, where) => {
    const compared = !running && other.measured.filter(({ x }) => sizes.has(x)).length > 1;
    return sentences(view, other, where('counted'), where('measured'), compared);
  });
}

/** The longest text that a race can turn this into. */
export function crossingsRoom({ curves }: Pick<RacePlot, 'curves'>, view: Words): string {
  return forOthers(curves, (other, where) =>
    longest(
      ...[undefined, RANGES[view.axis][1]].map((measured) =>
        sentences(view, other, where('counted'), measured, true),
      ),
    ),
  );
}

/** The one with the most characters. */
export function longest(...texts: readonly string[]): string {
  return texts.reduce((one, other) => (other.length > one.length ? other : one));
}

const attentionOf = (curves: readonly RaceCurve[]): RaceCurve | undefined =>
  curves.find(({ contestant }) => contestant === 'attention');

/** What `say` says of each curve with which attention is compared. */
function forOthers(curves: readonly RaceCurve[], say: (other: RaceCurve, where: Where) => string): string {
  const attention = attentionOf(curves);
  return curves
    .filter(({ contestant }) => contestant === 'cnn' || contestant === 'rnn')
    .map((other) => say(other, (kind) => crossing(attention?.[kind] ?? [], other[kind])?.x))
    .join(' ');
}

/** One sentence or two about the crossings with `other`; `compared` is whether all is measured. */
function sentences(
  { words, axis }: Words,
  other: RaceCurve,
  counted: number | undefined,
  measured: number | undefined,
  compared: boolean,
): string {
  const at = (size = 0): string => `${axis} = ${words.number(size, 0)}`;
  const given = { other: other.label, counted: at(counted), measured: at(measured) };
  const say = (key: 'Counted' | 'Measured' | 'Never' | 'OnlyMeasured' | 'NotMeasured'): string =>
    words.text(`race.cross${key}`, given);
  if (counted !== undefined && measured !== undefined) return say('Measured');
  const first = say(counted === undefined ? 'Never' : 'Counted');
  if (measured === undefined && !compared) return first;
  return `${first} ${say(measured === undefined ? 'NotMeasured' : 'OnlyMeasured')}`;
}
