import type { Positions, Progress, Snapshot, Task } from '../../training/index.js';

/** What is known of one way to tell positions: its curves so far, and the last look into the model. */
export interface Run {
  readonly loss: readonly number[];
  readonly accuracy: readonly number[];
  readonly stepsPerSecond: number;
  readonly snapshot?: Snapshot | undefined;
}

/** Runs of the same task and seed, by their positions. */
export type Runs = ReadonlyMap<Positions, Run>;

/** What runs have in common that are compared with one another. */
export interface RunSettings {
  readonly task: Task;
  readonly seed: number;
}

const NEW: Run = { loss: [], accuracy: [], stepsPerSecond: 0 };

/** The runs with one step more. The first step of a run begins its curves anew. */
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

/** Curves grow by a step a hundred times a second: the array is the run's own, and is not copied. */
function appended(values: readonly number[], value: number): readonly number[] {
  const own = values.length === 0 ? [] : (values as number[]);
  own.push(value);
  return own;
}
