import { html, type LitElement, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';

/** A figure's end, from which Tab goes on to what follows the figure. */
export function figureEnd(figure: string, words: Localised): TemplateResult {
  return html`<span class="end" role="note" aria-label=${words.text('tools.end', { figure })}></span>`;
}

/** A link that skips a figure's many tab stops. It is visible while it has the focus. */
export function skipButton(figure: LitElement, words: Localised): TemplateResult {
  const skip = (): void => {
    const end = figure.renderRoot.querySelector<HTMLElement>('.end');
    if (end === null) return;
    // It is a tab stop only then. With a permanent -1, Chromium would go on at the figure's beginning.
    end.tabIndex = 0;
    end.addEventListener('blur', () => end.removeAttribute('tabindex'), { once: true });
    end.focus();
  };
  return html`<button type="button" class="skip" @click=${skip}>${words.text('tools.skip')}</button>`;
}
