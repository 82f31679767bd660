import type { ExtrapolationWords } from './texts.js';
import { COMPARED, LENGTHS } from './runs.js';
import type { ShownCurves } from './session.js';

/** How each kind's accuracy changes with the length; those that are best at the longest sequences come first. */
export function comparisonText(
  words: ExtrapolationWords,
  { curves, faint }: Pick<ShownCurves, 'curves' | 'faint'>,
): string {
  const from = words.number(LENGTHS[0]);
  const list = COMPARED.flatMap((positions) => {
    const points = curves.get(positions) ?? faint.get(positions);
    return points === undefined ? [] : [{ name: words.text(`training.${positions}`), points }];
  })
    .sort((a, b) => (b.points.at(-1) ?? -1) - (a.points.at(-1) ?? -1))
    .map(({ name, points }) => {
      const shares = points.flatMap((accuracy) => (accuracy === undefined ? [] : [words.percent(accuracy, 0)]));
      const course = shares.length < LENGTHS.length ? 'ends' : new Set(shares).size > 1 ? 'changes' : 'steady';
      return words.text(`extrapolation.${course}`, { name, from, first: shares[0]!, last: shares.at(-1)! });
    });
  return words.text('extrapolation.shown', { from, to: words.number(LENGTHS.at(-1)!), list: list.join('; ') });
}
