import { html, type TemplateResult } from 'lit';
import { choice } from '../controls/controls.js';
import type { Localised } from '../localised.js';
import type { FigureCode } from './figure-data.js';

export type CodeLanguage = keyof FigureCode;

const NAMES: Readonly<Record<CodeLanguage, string>> = { javascript: 'JavaScript', pytorch: 'PyTorch' };

/** A figure's state as code, in one of two languages. */
export function codePanel(
  words: Localised,
  panel: {
    readonly code: FigureCode;
    readonly language: CodeLanguage;
    readonly copied: boolean;
    readonly choose: (language: CodeLanguage) => void;
    readonly copy: () => void;
  },
): TemplateResult {
  const option = (language: CodeLanguage): TemplateResult =>
    choice('code-language', NAMES[language], language === panel.language, () => panel.choose(language));
  return html`<div class="panel">
    <fieldset class="choices" aria-label=${words.text('tools.codeLabel')}>
      ${option('javascript')}${option('pytorch')}
      <button type="button" @click=${panel.copy}>
        ${words.text(panel.copied ? 'tools.copied' : 'tools.copy')}
      </button>
    </fieldset>
    <pre tabindex="0" role="region" aria-label=${NAMES[panel.language]}>${panel.code[panel.language]}</pre>
  </div>`;
}
