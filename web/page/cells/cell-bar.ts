import { html, nothing, type TemplateResult } from 'lit';
import type { CellWords } from './words.js';

export const LANGUAGES = ['javascript', 'pytorch'] as const;
export type Language = (typeof LANGUAGES)[number];

const NAMES: Readonly<Record<Language, string>> = { javascript: 'JavaScript', pytorch: 'PyTorch' };

/** What a cell's bar shows and does. */
export interface CellBar {
  readonly language: Language;
  readonly running: boolean;
  /** The editor is not there yet. */
  readonly editable: boolean;
  /** There is something to take back. */
  readonly touched: boolean;
  readonly copied: boolean;
  readonly choose: (language: Language) => void;
  readonly start: () => void;
  readonly stop: () => void;
  readonly edit: () => void;
  readonly reset: () => void;
  readonly copy: () => void;
}

/** The row above a cell's code: two tabs for its languages, and what can be done with the code. */
export function cellBar(words: CellWords, bar: CellBar): TemplateResult {
  return html`
    <div class="tabs" role="tablist" aria-label=${words.text('cell.language')}>
      ${LANGUAGES.map((language) => tab(language, bar))}
    </div>
    <div class="actions">
      ${bar.language === 'javascript' ? actions(words, bar) : nothing}
      <button type="button" @click=${bar.copy}>
        ${words.text(bar.copied ? 'tools.copied' : 'tools.copy')}
      </button>
    </div>
  `;
}

function tab(language: Language, { language: chosen, choose }: CellBar): TemplateResult {
  const onKey = (event: KeyboardEvent): void => {
    if (!['ArrowRight', 'ArrowLeft', 'Home', 'End'].includes(event.key)) return;
    event.preventDefault();
    const other = event.key === 'Home' ? 0 : event.key === 'End' ? 1 : 1 - LANGUAGES.indexOf(language);
    const tabs = (event.currentTarget as HTMLElement).parentElement?.querySelectorAll('button');
    choose(LANGUAGES[other]!);
    tabs?.[other]?.focus();
  };
  return html`<button
    type="button"
    role="tab"
    id="tab-${language}"
    aria-controls="panel-${language}"
    aria-selected=${language === chosen}
    tabindex=${language === chosen ? 0 : -1}
    @click=${() => choose(language)}
    @keydown=${onKey}
  >
    ${NAMES[language]}
  </button>`;
}

function actions(words: CellWords, bar: CellBar): TemplateResult {
  return html`
    <button
      type="button"
      class="run"
      aria-keyshortcuts="Control+Enter Meta+Enter"
      title="Ctrl/⌘ + Enter"
      @click=${bar.running ? bar.stop : bar.start}
    >
      ${words.text(bar.running ? 'cell.stop' : 'cell.run')}
    </button>
    <button type="button" ?hidden=${!bar.editable} @click=${bar.edit}>${words.text('cell.edit')}</button>
    <button type="button" ?hidden=${!bar.touched} @click=${bar.reset}>${words.text('cell.reset')}</button>
  `;
}
