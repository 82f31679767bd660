import { html, nothing, type TemplateResult } from 'lit';
import type { RaceWords } from './texts.js';
import type { RaceRun } from './run.js';

/** One button for start and stop, so that the focus stays on it; and the race's progress. */
export function raceButton(words: RaceWords, run: RaceRun, press: () => void): TemplateResult {
  const { state, progress } = run;
  const running = state === 'running';
  return html`<div class="run">
    <button type="button" @click=${press}>${words.text(running ? 'race.cancel' : 'race.start')}</button>
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
