import { html, type TemplateResult } from 'lit';
import type { HeadDetail } from '../../elements/kit.js';
import { leave } from './explorer.js';
import type { UrlState } from './link.js';
import type { ModelWords } from './words.js';

/** Tells the page what the reader has changed in what links contain. */
export type ChangeLink = (to: Partial<UrlState>) => void;

/** The reader has chosen another head. */
export const onHead =
  (change: ChangeLink) =>
  ({ detail: { layer, head } }: CustomEvent<HeadDetail>): void =>
    change({ layer, head });

/** The reader has switched a head off or on. */
export const onSilence =
  (silent: readonly string[], change: ChangeLink) =>
  ({ detail }: CustomEvent<HeadDetail & { silent: boolean }>): void => {
    const name = `${detail.layer}.${detail.head}`;
    const others = silent.filter((each) => each !== name);
    change({ silent: detail.silent ? [...others, name].sort() : others });
  };

/** Switches all heads on again, if any is off. */
export function allHeadsOn(words: ModelWords, silent: readonly string[], change: ChangeLink): TemplateResult {
  if (silent.length === 0) return html``;
  const onClick = (event: Event): void => {
    leave(event);
    change({ silent: [] });
  };
  return html`<div class="buttons">
    <button type="button" @click=${onClick}>${words.text('models.allHeads', { count: silent.length })}</button>
  </div>`;
}
