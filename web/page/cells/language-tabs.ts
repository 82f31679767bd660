import { html, type TemplateResult } from 'lit';
import type { CellWords } from './words.js';

export const LANGUAGES = ['javascript', 'pytorch'] as const;
export type Language = (typeof LANGUAGES)[number];

const NAMES: Readonly<Record<Language, string>> = { javascript: 'JavaScript', pytorch: 'PyTorch' };

/** Two tabs above a cell's code, one per language. */
export function languageTabs(words: CellWords, chosen: Language, choose: (language: Language) => void): TemplateResult {
  const onKey = (event: KeyboardEvent): void => {
    if (!['ArrowRight', 'ArrowLeft', 'Home', 'End'].includes(event.key)) return;
    event.preventDefault();
    const other = event.key === 'Home' ? 0 : event.key === 'End' ? 1 : 1 - LANGUAGES.indexOf(chosen);
    const tabs = (event.currentTarget as HTMLElement).querySelectorAll('button');
    choose(LANGUAGES[other]!);
    tabs[other]?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${words.text('cell.language')} @keydown=${onKey}>
    ${LANGUAGES.map(
      (language) =>
        html`<button
          type="button"
          role="tab"
          id="tab-${language}"
          aria-controls="panel-${language}"
          aria-selected=${language === chosen}
          tabindex=${language === chosen ? 0 : -1}
          @click=${() => choose(language)}
        >
          ${NAMES[language]}
        </button>`,
    )}
  </div>`;
}
