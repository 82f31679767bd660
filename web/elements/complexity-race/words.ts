import { html, type TemplateResult } from 'lit';
import type { FigureData } from '../shared/figure/figure-data.js';
import type { RaceWords } from './texts.js';
import { timeText } from '../shared/numbers.js';
import {
  ARCHITECTURE,
  computationOrder,
  CONTESTANTS,
  crossing,
  multiplyAdds,
  sizesAlong,
  type Contestant,
} from './plan.js';
import type { RacePlot } from './plot.js';
import type { RaceRun, RaceState } from './run.js';
import type { Timing } from './timing.js';
import { entryName, type RaceView } from './view.js';

const COLUMNS = ['multiplyAdds', 'measured', 'order', 'sequential', 'path'] as const;
type Column = (typeof COLUMNS)[number];

/** The exact counts at the chosen size, with times if there are any: one table, or two if six columns do not fit. */
export function countsTables(view: RaceView, narrow: boolean): TemplateResult[] {
  return narrow
    ? [countsTable(view, COLUMNS.slice(0, 2)), countsTable(view, COLUMNS.slice(2))]
    : [countsTable(view, COLUMNS)];
}

function sizesText({ words, size }: RaceView): string {
  return `n = ${words.number(size.n)}, d = ${words.number(size.d)}, k = ${size.k}`;
}

function countsTable(view: RaceView, columns: readonly Column[]): TemplateResult {
  const { words } = view;
  return html`<table>
    ${
      columns[0] === COLUMNS[0]
        ? html`<caption>
            ${sizesText(view)}
          </caption>`
        : ''
    }
    <thead>
      <tr>
        <td></td>
        ${columns.map((column) => html`<th scope="col">${words.text(`race.${column}`)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${CONTESTANTS.map(
        (contestant) =>
          html`<tr>
            <th scope="row">${words.text(`race.${contestant}`)}</th>
            ${columns.map((column) => html`<td class=${column}>${countOf(view, contestant, column)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function countOf({ library, words, size, timing }: RaceView, contestant: Contestant, column: Column): string {
  if (column === 'order') return computationOrder(library, contestant, size);
  if (column === 'multiplyAdds') return words.number(multiplyAdds(library, contestant, size));
  if (column === 'measured') {
    const time = timing({ contestant, threads: 1 }, size);
    return time === undefined ? '–' : measuredText(words, time);
  }
  const { sequentialOperations, maximumPathLength } = library.complexity(ARCHITECTURE[contestant], size);
  return words.number(column === 'path' ? maximumPathLength : sequentialOperations);
}

function measuredText(words: RaceWords, { milliseconds }: Timing): string {
  return timeText(milliseconds / 1000, (value) => words.number(Number(value.toPrecision(3))));
}

/**
 * The contestants in the order of their measured times at the chosen size, or of their counts if there are none, and
 * where the counts cross.
 */
export function shownText(state: RaceState, view: RaceView, plot: Pick<RacePlot, 'curves'>): string {
  const { library, words, size } = view;
  const times = CONTESTANTS.flatMap((contestant) => {
    const time = view.timing({ contestant, threads: 1 }, size);
    return time === undefined ? [] : [{ contestant, amount: time.milliseconds, text: measuredText(words, time) }];
  });
  const counts = CONTESTANTS.map((contestant) => {
    const amount = multiplyAdds(library, contestant, size);
    return { contestant, amount, text: words.number(amount) };
  });
  const list = (times.length > 0 ? times : counts)
    .sort((a, b) => a.amount - b.amount)
    .map(({ contestant, text }) => `${words.text(`race.${contestant}`)} ${text}`)
    .join(', ');
  const shown = words.text(times.length > 0 ? 'race.shownTimes' : 'race.shown', { sizes: sizesText(view), list });
  return withAvailability(state, words, `${shown} ${crossingsLine(plot, view)}`);
}

/** A text, and before it that there can be no race, if so. */
export function withAvailability(state: RaceState, words: RaceWords, text: string): string {
  return state === 'unavailable' ? `${words.text('race.noWorker')} ${text}` : text;
}

/** The machine and the date of the measurements, or a sentence that there are none. */
export function machineLine({ library, words, entries, machine, measuredAt }: RaceView): string {
  if (measuredAt === undefined || machine === undefined) return words.text('race.notYet');
  const { simd } = library.features;
  const counts = [...new Set(entries.map(({ threads }) => threads))];
  return words.text('race.machine', {
    platform: machine.platform,
    browser: machine.browser,
    processors: machine.processors === undefined ? '?' : words.number(machine.processors),
    simd,
    threads: counts.map((count) => words.number(count)).join(', '),
    date: new Intl.DateTimeFormat(words.language, { dateStyle: 'long' }).format(measuredAt),
  });
}

/** Which contestants have no time at the chosen size because no race has measured it; empty if there are none. */
function againLine({ words, size, lacks }: RaceView): string {
  const missing = CONTESTANTS.filter((contestant) => lacks({ contestant, threads: 1 }, size));
  const names = missing.map((contestant) => words.text(`race.${contestant}`)).join(', ');
  return names === '' ? '' : words.text('race.again', { names });
}

/** The race's progress or result. The machine and the date are given only for times in the plot. */
export function statusLine(
  run: Pick<RaceRun, 'state' | 'current' | 'progress' | 'omitted'>,
  view: RaceView,
  { curves }: Pick<RacePlot, 'curves'>,
): string {
  const { words, axis, measuredAt } = view;
  const { state, current, progress, omitted } = run;
  if (state === 'unavailable') return '';
  if (state === 'running') {
    if (current === undefined) return words.text('race.starting');
    const name = entryName(words, current);
    const size = words.number(current.size[axis]);
    return words.text('race.measuring', {
      name,
      axis,
      size,
      behind: progress.behind + 1,
      all: progress.all,
    });
  }
  const shown = curves.some(({ measured }) => measured.length > 0);
  return [
    ...(shown || measuredAt === undefined ? [machineLine(view)] : []),
    ...(omitted > 0 ? [words.text('race.omitted', { omitted })] : []),
    ...(measuredAt === undefined ? [] : [againLine(view)]),
  ]
    .filter((line) => line !== '')
    .join(' ');
}

/** Where attention crosses the others, by counts. */
export function crossingsLine(
  { curves }: Pick<RacePlot, 'curves'>,
  { words, axis }: Pick<RaceView, 'words' | 'axis'>,
): string {
  const attention = curves.find(({ contestant }) => contestant === 'attention');
  const others = curves.filter(({ contestant }) => contestant === 'cnn' || contestant === 'rnn');
  const list = others.map((other) => {
    const at = crossing(attention?.counted ?? [], other.counted)?.x;
    return at === undefined
      ? words.text('race.crossNot', { other: other.label })
      : words.text('race.crossAt', { other: other.label, at: `${axis}\u00a0=\u00a0${words.number(at, 0)}` });
  });
  return list.length === 0 ? '' : words.text('race.crossCounted', { list: list.join(', ') });
}

/** All counts and times along the axis; the last column names the machine. */
export function raceData(view: RaceView): FigureData {
  const { library, words, size, axis } = view;
  const machine = view.measuredAt === undefined ? '' : machineLine(view);
  const rows = sizesAlong(axis, size).flatMap((each) =>
    view.entries.map((entry) => {
      const { contestant, threads } = entry;
      const timing = view.timing(entry, each);
      const count = multiplyAdds(library, contestant, each);
      const measured =
        timing === undefined
          ? ['', '', '', '']
          : [timing.milliseconds, timing.runs, count / timing.milliseconds / 1e6, machine];
      return [words.text(`race.${contestant}`), each.n, each.d, each.k, threads, count, ...measured];
    }),
  );
  const heads = ['architecture', 'threads', 'multiplyAdds', 'median', 'runs', 'rate', 'where'] as const;
  const [architecture, ...rest] = heads.map((head) => words.text(`race.${head}`));
  return { columns: [architecture ?? '', 'n', 'd', 'k', ...rest], heads: 5, rows };
}
