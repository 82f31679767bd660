import { html, nothing, type TemplateResult } from 'lit';
import { slider, toggle } from '../shared/controls/controls.js';
import type { Localised } from '../shared/localised.js';
import type { Changes } from './run.js';
import { WIDEST } from './settings.js';

/** The changes to the second text, and the head that is shown, which the reader can silence. */
export interface StorySettings extends Changes {
  readonly layer: number;
  readonly head: number;
}

/** The controls for these changes. */
export function storyControls(
  words: Localised,
  { positions, window, silent, layer, head }: StorySettings,
  change: (settings: Partial<Changes>) => void,
): TemplateResult {
  const name = `${layer}.${head}`;
  const others = silent.filter((each) => each !== name);
  const silence = (isSilent: boolean): void => change({ silent: isSilent ? [...others, name].sort() : others });
  return html`<div class="controls">
    <div class="switches">
      ${toggle(words.text('story.positions'), positions, (known) => change({ positions: known }))}
      ${toggle(words.text('story.silence', { layer, head }), silent.includes(name), silence)}
      ${
        silent.length === 0
          ? nothing
          : html`<button type="button" @click=${() => change({ silent: [] })}>
              ${words.text('story.allHeads', { count: silent.length })}
            </button>`
      }
    </div>
    ${slider({
      name: 'window',
      label: words.text('story.window'),
      value: window === 0 ? WIDEST + 1 : window,
      min: 1,
      max: WIDEST + 1,
      text: window === 0 ? words.text('story.all') : words.number(window),
      onInput: (to) => change({ window: to > WIDEST ? 0 : to }),
    })}
  </div>`;
}
