import { DEFAULTS, POSITIONS, type Positions, type Task } from '../../training/index.js';
import type { TrainingWords } from './texts.js';
import { trainingFailure } from '../shared/training-failure.js';
import type { Measure, ShownCurves } from './curves.js';
import type { View } from './inside.js';
import type { Run } from './runs.js';
import type { Outcome } from './session.js';

/** A run's progress. */
export function progressText(words: TrainingWords, positions: Positions, run: Run): string {
  const values = {
    name: words.text(`training.${positions}`),
    step: words.number(run.loss.length),
    steps: words.number(DEFAULTS.steps),
    loss: words.number(run.loss.at(-1) ?? NaN, 3),
    speed: words.number(Math.round(run.stepsPerSecond)),
    accuracy: words.percent(run.accuracy.at(-1) ?? NaN, 1),
  };
  return words.text('training.progress', values);
}

/** How far each kind of positions has come, the best first. */
export function comparisonText(
  words: TrainingWords,
  { task, measure }: { readonly task: Task; readonly measure: Measure },
  { curves, faint }: Pick<ShownCurves, 'curves' | 'faint'>,
): string {
  const ends = POSITIONS.flatMap((positions) => {
    const [, end] = (curves.get(positions) ?? faint.get(positions))?.at(-1) ?? [];
    return end === undefined ? [] : [{ name: words.text(`training.${positions}`), end }];
  });
  const isShare = measure === 'accuracy';
  const list = ends
    .sort((a, b) => (isShare ? b.end - a.end : a.end - b.end))
    .map(({ name, end }) => `${name} ${isShare ? words.percent(end, 0) : words.number(end, 2)}`);
  const given = { task: words.text(`training.${task}`), measure: words.text(`training.${measure}`) };
  return words.text('training.shown', { ...given, list: list.join(', ') });
}

/** The head that attends most to the token that the model should output, and its mean weight there. */
export function looksText(words: TrainingWords, task: Task, positions: Positions, { weights }: View): string {
  const { data, shape } = weights;
  const [heads = 0, n = 0] = shape;
  const right = Array.from({ length: n }, (_, i) => (task === 'copy' ? i - DEFAULTS.distance : n - 1 - i));
  const means = Array.from({ length: heads }, (_, head) => {
    const found = right.flatMap((key, query) => (key < 0 ? [] : [data[(head * n + query) * n + key]!]));
    return found.reduce((sum, weight) => sum + weight, 0) / found.length;
  });
  const most = Math.max(...means);
  const given = { name: words.text(`training.${positions}`), head: means.indexOf(most) + 1 };
  return words.text('training.looks', { ...given, weight: words.percent(most, 0) });
}

/** How the last run ended. */
export function outcomeText(words: TrainingWords, outcome: Outcome): string {
  if (outcome.reason === 'failed') return trainingFailure(words, outcome.message);
  const name = words.text(`training.${outcome.positions}`);
  return outcome.reason === 'finished'
    ? words.text('training.finished', { name, accuracy: words.percent(outcome.accuracy ?? NaN, 1) })
    : words.text('training.cancelled', { name, steps: words.number(outcome.steps) });
}

/** The settings of the faint curves; empty if there are none. */
export function faintText(words: TrainingWords, { faint, faintOf }: ShownCurves): string {
  if (faint.size === 0) return '';
  const { task, seed } = faintOf;
  return words.text('training.faint', { task: words.text(`training.${task}`), seed: words.number(seed) });
}
