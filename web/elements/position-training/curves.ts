import { DEFAULTS, POSITIONS, type Positions, type Task } from '../../training/index.js';
import type { FigureData } from '../shared/figure/figure-data.js';
import type { TrainingWords } from './texts.js';
import { COMPUTED, STEPS_A_POINT } from './computed-curves.js';
import type { Curve } from './plot.js';
import type { Runs, RunSettings } from './runs.js';

export type Measure = 'accuracy' | 'loss';
type Curves = ReadonlyMap<Positions, Curve>;

/** The curves of a measure with these settings. Positions without one have a faint curve, of another seed. */
export interface ShownCurves {
  readonly curves: Curves;
  readonly faint: Curves;
  /** The settings of the faint curves. */
  readonly faintOf: RunSettings;
}

/** Whether there are precomputed curves for these settings. */
export function areComputed({ seed }: RunSettings): boolean {
  return seed === DEFAULTS.seed;
}

/**
 * The curves to show: the runs with these settings, over the precomputed curves if they have the same seed; faintly,
 * the runs with the previous seed, or else the precomputed curves. All are of the same task.
 */
export function shownCurves(
  measure: Measure,
  settings: RunSettings,
  runs: Runs,
  before?: { readonly settings: RunSettings; readonly runs: Runs },
): ShownCurves {
  const { task } = settings;
  const own = curvesOfRuns(runs, measure);
  const computed = computedCurves(measure, task);
  const curves = areComputed(settings) ? new Map([...computed, ...own]) : own;
  const earlier = before?.settings.task === task ? before : undefined;
  const others = earlier === undefined ? computed : curvesOfRuns(earlier.runs, measure);
  return {
    curves,
    faint: new Map([...others].filter(([positions]) => !curves.has(positions))),
    faintOf: earlier?.settings ?? { task, seed: DEFAULTS.seed },
  };
}

function curvesOfRuns(runs: Runs, measure: Measure): Curves {
  return new Map(
    [...runs].map(([positions, run]) => [positions, run[measure].map((value, k) => [k + 1, value] as const)]),
  );
}

function computedCurves(measure: Measure, task: Task): Curves {
  const points = (values: readonly number[]): Curve =>
    values.map((value, k) => [(k + 0.5) * STEPS_A_POINT, value] as const);
  return new Map(POSITIONS.map((positions) => [positions, points(COMPUTED[task][positions][measure])]));
}

/** Both measures of every visible curve, one row per step with a point. */
export function curvesData(shown: (measure: Measure) => ShownCurves, words: TrainingWords): FigureData {
  const measures = ['loss', 'accuracy'] as const;
  const [losses, accuracies] = [shown('loss'), shown('accuracy')];
  const names: string[] = [];
  const values = new Map<number, (string | number)[]>();
  const count = 2 * (losses.curves.size + losses.faint.size);
  for (const positions of POSITIONS) {
    const faint = !losses.curves.has(positions);
    const of = ({ curves, faint }: ShownCurves): Curve | undefined => curves.get(positions) ?? faint.get(positions);
    const [loss, accuracy] = [of(losses), of(accuracies)];
    if (loss === undefined || accuracy === undefined) continue;
    const at = names.length;
    const name = words.text(`training.${positions}`);
    const { task, seed } = losses.faintOf;
    const whose = faint ? ` (${words.text(`training.${task}`)}, ${words.text('training.seed')} ${seed})` : '';
    names.push(...measures.map((measure) => `${name}: ${words.text(`training.${measure}`)}${whose}`));
    loss.forEach(([step, value], k) => {
      const row = values.get(step) ?? new Array<string | number>(count).fill('');
      [row[at], row[at + 1]] = [value, accuracy[k]![1]];
      values.set(step, row);
    });
  }
  return {
    columns: [words.text('training.steps'), ...names],
    rows: [...values].sort(([a], [b]) => a - b).map(([step, row]) => [step, ...row]),
  };
}
