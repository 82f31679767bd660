import { html, nothing, type TemplateResult } from 'lit';
import { choices, slider } from '../shared/controls/controls.js';
import type { Localised } from '../shared/localised.js';
import { RANGES, type Axis } from './plan.js';
import type { RaceRun } from './run.js';

/** The settings, and their setters. */
export interface RaceSettings {
  readonly length: number;
  readonly width: number;
  readonly kernel: number;
  readonly axis: Axis;
  readonly change: (settings: Readonly<Record<string, unknown>>) => void;
}

/** Sliders of n and d, in steps of powers of two, and of k; and the choice of the axis. */
export function raceControls(words: Localised, settings: RaceSettings): TemplateResult {
  const { kernel, axis, change } = settings;
  const power = (of: Axis, name: 'length' | 'width'): TemplateResult =>
    slider({
      name,
      label: words.text(of === 'n' ? 'race.tokens' : 'encoding.width'),
      value: Math.log2(settings[name]),
      min: Math.log2(RANGES[of][0]),
      max: Math.log2(RANGES[of][1]),
      text: words.number(settings[name]),
      onInput: (value) => change({ [name]: 2 ** value }),
    });
  const taps = slider({
    name: 'kernel',
    label: words.text('race.kernel'),
    value: kernel,
    min: 1,
    max: 9,
    step: 2,
    text: words.number(kernel),
    onInput: (value) => change({ kernel: value }),
  });
  return html`<div class="sliders">${power('n', 'length')} ${power('d', 'width')} ${taps}</div>
    ${choices({
      name: 'axis',
      legend: words.text('race.axis'),
      values: ['n', 'd'] as const,
      chosen: axis,
      label: String,
      onChoose: (to) => change({ axis: to }),
    })}`;
}

/** One button for start and stop, so that the focus stays on it; and the race's progress. */
export function raceButton(words: Localised, run: RaceRun, start: () => void): TemplateResult {
  const { state, progress } = run;
  const running = state === 'running';
  return html`<div class="run">
    <button type="button" @click=${() => (running ? run.cancel() : start())}>
      ${words.text(running ? 'race.cancel' : 'race.start')}
    </button>
    ${
      running
        ? html`<progress
            aria-label=${words.text('race.progress')}
            max=${progress.all}
            .value=${progress.behind}
          ></progress>`
        : nothing
    }
  </div>`;
}
