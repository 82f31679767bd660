/** The table of how much faster several threads are than one. */
import { scalingBar } from './bars.mjs';
import { failuresOf, ms, table } from './report.mjs';

const rowOf = (work, count) => work.rows?.find(({ peer }) => peer === `${count}`);

/**
 * How many times as fast as one thread, by medians and by the fastest samples; undefined if one of the two is missing.
 */
function gain(work, count) {
  const [one, several] = [rowOf(work, 1), rowOf(work, count)];
  if (!one?.median || !several?.median) return undefined;
  return { median: one.median / several.median, least: one.min / several.min };
}

/** A line for each work; two columns and the bar for each of `counts`. */
export function scalingTable(works, counts) {
  const lines = works.map((work) => {
    const one = rowOf(work, 1);
    const cells = counts.flatMap((count) => {
      const found = gain(work, count);
      const bar = scalingBar(work.name, count);
      if (!found) return ['–', '–', 'not measured'];
      const verdict = `${bar.toFixed(2)} ${found.median >= bar ? 'met' : 'NOT MET'}`;
      return [found.median.toFixed(2), found.least.toFixed(2), verdict];
    });
    return [work.title, one?.median ? ms(one.median) : '–', ...cells];
  });
  const header = counts.flatMap((count) => [`× ${count} threads`, 'by the fastest', 'bar']);
  const failures = failuresOf(works);
  return [
    '\nMilliseconds on one thread, and how many times as fast several are: by medians, and by the fastest samples',
    table(['', 'one thread', ...header], lines),
    ...(failures.length ? ['\nFailed', ...failures] : []),
  ].join('\n');
}
