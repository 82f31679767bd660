import type { Positions, Progress, Snapshot, Task } from '../../training/index.js';

/** The results of one kind of positions: its curves so far, and the last view into the model. */
export interface Run {
  readonly loss: readonly number[];
  readonly accuracy: readonly number[];
  readonly stepsPerSecond: number;
  readonly snapshot?: Snapshot | undefined;
}

/** Runs of the same task and seed, by positions. */
export type Runs = ReadonlyMap<Positions, Run>;

/** The settings that comparable runs share. */
export interface RunSettings {
  readonly task: Task;
  readonly seed: number;
}

const NEW: Run = { loss: [], accuracy: [], stepsPerSecond: 0 };

/** The runs after one more step. The first step of a run starts its curves again. */
export function withProgress(runs: Runs, positions: Positions, progress: Progress): Runs {
  const { step, loss, accuracy, stepsPerSecond, snapshot } = progress;
  const before = step === 1 ? NEW : (runs.get(positions) ?? NEW);
  const run: Run = {
    loss: appended(before.loss, loss),
    accuracy: appended(before.accuracy, accuracy),
    stepsPerSecond,
    snapshot: snapshot ?? before.snapshot,
  };
  return new Map(runs).set(positions, run);
}

/** Curves grow a hundred times per second, so the run's own array is extended and not copied. */
function appended(values: readonly number[], value: number): readonly number[] {
  const own = values.length === 0 ? [] : (values as number[]);
  own.push(value);
  return own;
}
