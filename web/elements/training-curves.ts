import { DEFAULTS, POSITIONS, type Positions, type Task } from '../training/settings.js';
import type { FigureData } from './figure-element.js';
import type { Localised } from './localised.js';
import { COMPUTED, STEPS_A_POINT } from './training-computed.js';
import type { Curve } from './training-plot.js';
import type { Runs } from './training-runs.js';

export type Measure = 'accuracy' | 'loss';

/** Whether there is nothing of the reader's own to show, and there are curves computed beforehand. */
export function showsComputed(runs: Runs, task: Task, seed: number): boolean {
  return runs.size === 0 && task === DEFAULTS.task && seed === DEFAULTS.seed;
}

/** The curves of the runs so far; before any, those computed beforehand. */
export function curvesOf(runs: Runs, measure: Measure, computed: boolean): ReadonlyMap<Positions, Curve> {
  if (computed) {
    const points = (values: readonly number[]): Curve =>
      values.map((value, k) => [(k + 0.5) * STEPS_A_POINT, value] as const);
    return new Map(POSITIONS.map((positions) => [positions, points(COMPUTED[positions][measure])]));
  }
  return new Map(
    [...runs].map(([positions, run]) => [positions, run[measure].map((value, k) => [k + 1, value] as const)]),
  );
}

/** Both measures of every curve, a row for each step that has a point. */
export function curvesData(runs: Runs, computed: boolean, words: Localised): FigureData {
  const [losses, accuracies] = [curvesOf(runs, 'loss', computed), curvesOf(runs, 'accuracy', computed)];
  const shown = POSITIONS.filter((positions) => losses.has(positions));
  const values = new Map<number, (string | number)[]>();
  shown.forEach((positions, at) => {
    losses.get(positions)!.forEach(([step, loss], k) => {
      const row = values.get(step) ?? new Array<string | number>(2 * shown.length).fill('');
      row[2 * at] = loss;
      row[2 * at + 1] = accuracies.get(positions)![k]![1];
      values.set(step, row);
    });
  });
  const names = shown.flatMap((positions) =>
    (['loss', 'accuracy'] as const).map(
      (measure) => `${words.text(`training.${positions}`)}: ${words.text(`training.${measure}`)}`,
    ),
  );
  return {
    columns: [words.text('training.steps'), ...names],
    rows: [...values].sort(([a], [b]) => a - b).map(([step, row]) => [step, ...row]),
  };
}
