import { html, type LitElement, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';

/** Where a figure ends: Tab goes on from here to what follows the figure. */
export const figureEnd = html`<span class="end"></span>`;

/** A way past a figure's many stops for readers at the keyboard. It is visible while it has the focus. */
export function skipButton(figure: LitElement, words: Localised): TemplateResult {
  const skip = (): void => {
    const end = figure.renderRoot.querySelector<HTMLElement>('.end');
    if (end === null) return;
    // It is no stop otherwise. With -1 in its place Chromium would go on at the figure's beginning.
    end.tabIndex = 0;
    end.addEventListener('blur', () => end.removeAttribute('tabindex'), { once: true });
    end.focus();
  };
  return html`<button type="button" class="skip" @click=${skip}>${words.text('tools.skip')}</button>`;
}
