import { html, type TemplateResult } from 'lit';
import { DEFAULTS, type Positions } from '../../training/index.js';
import type { Localised } from '../shared/localised.js';
import { trainingFailure } from '../shared/training-failure.js';
import type { ShownCurves } from './curves.js';
import type { Run } from './runs.js';
import type { Outcome } from './session.js';

/** A run's progress. */
export function progressText(words: Localised, positions: Positions, run: Run): TemplateResult {
  const values = {
    name: words.text(`training.${positions}`),
    step: words.number(run.loss.length),
    steps: words.number(DEFAULTS.steps),
    loss: words.number(run.loss.at(-1) ?? NaN, 3),
    speed: words.number(Math.round(run.stepsPerSecond)),
  };
  return html`${words.text('training.progress', values)}
    <strong>${words.percent(run.accuracy.at(-1) ?? NaN, 1)}</strong>`;
}

/** How the last run ended; empty if none has. */
export function outcomeText(words: Localised, outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  if (outcome.reason === 'failed') return trainingFailure(words, outcome.message);
  const name = words.text(`training.${outcome.positions}`);
  return outcome.reason === 'finished'
    ? words.text('training.finished', { name, accuracy: words.percent(outcome.accuracy ?? NaN, 1) })
    : words.text('training.cancelled', { name, steps: words.number(outcome.steps) });
}

/** The settings of the faint curves; empty if there are none. */
export function faintText(words: Localised, { faint, faintOf }: ShownCurves): string {
  if (faint.size === 0) return '';
  const { task, seed } = faintOf;
  return words.text('training.faint', { task: words.text(`training.${task}`), seed: words.number(seed) });
}
